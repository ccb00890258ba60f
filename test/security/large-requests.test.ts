// Requests that are worked out by threads of their own pass the same checks as small ones: size is no way around them.
import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { TestServer } from "../fixtures/server.ts";

/** More than the server works out in its own thread. */
const padding = { annotations: { padding: "x".repeat(60_000) } };
const weak = { "impersonate-user": "weak" };

suite("a large request", () => {
  let server: TestServer;

  before(async () => {
    server = await TestServer.start({ arguments: ["--service-cidr=10.96.0.0/16"] });
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await made("/api/v1/namespaces", { metadata: { name: "held", labels } });
    const rules = [
      { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["create"] },
    ];
    const group = "/apis/rbac.authorization.k8s.io/v1";
    await made(`${group}/clusterroles`, { metadata: { name: "weak" }, rules });
    await made(`${group}/clusterrolebindings`, {
      metadata: { name: "weak" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "weak" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "weak" }],
    });
  });
  after(async () => await server[Symbol.asyncDispose]());

  async function made(path: string, body: object): Promise<void> {
    const { code, text } = await server.call("POST", path, body);
    assert.equal(code, 201, text);
  }

  async function refusal(path: string, body: object, headers = {}): Promise<string> {
    const { code, text } = await server.send("POST", path, { body: JSON.stringify(body), headers });
    assert.ok(code === 403 || code === 422, `${code}: ${text.slice(0, 300)}`);
    return text;
  }

  test("[SEC-5] is held to the Pod Security level of its namespace", async () => {
    const containers = [{ name: "main", image: "x", securityContext: { privileged: true } }];
    const pod = { metadata: { name: "big", ...padding }, spec: { containers } };
    const text = await refusal("/api/v1/namespaces/held/pods", pod);
    assert.match(text, /violates PodSecurity/);
  });

  test("[SEC-2] gives nobody rights they do not have", async () => {
    const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
    const role = { metadata: { name: "all", ...padding }, rules };
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    assert.match(await refusal(path, role, weak), /attempting to grant RBAC permissions/);
  });

  test("[SEC-8] takes no address of another service", async () => {
    const spec = { ports: [{ port: 80 }], externalIPs: ["10.96.0.1"] };
    const service = { metadata: { name: "thief", ...padding }, spec };
    assert.match(await refusal("/api/v1/namespaces/default/services", service), /10\.96\.0\.1/);
  });
});
