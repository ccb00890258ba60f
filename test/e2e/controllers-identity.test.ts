// What the controllers of a real server ask for, by its audit log, and what they could not do.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../fixtures/controllers.ts";
import { TestServer } from "../fixtures/server.ts";

const controllers = "system:tandem-controllers";
const namespace = "/api/v1/namespaces/work";

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly requestURI: string;
  readonly responseStatus: { readonly code: number };
}

test("[API-3] controllers do their work under a role of their own, and nothing else", {
  timeout: 240_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-audit-"));
  await using scope = new AsyncDisposableStack();
  scope.defer(() => rm(directory, { recursive: true, force: true }));
  const log = join(directory, "audit");
  const server = scope.use(
    await TestServer.start({
      arguments: [`--audit-log=${log}`, "--cluster-cidr=10.244.0.0/16,fd00:244::/56"],
    }),
  );
  const call = async (method: string, path: string, body?: object) => {
    const answer = await server.call(method, path, body);
    assert.ok(answer.code < 300, answer.text);
    return answer.body;
  };
  await call("POST", "/api/v1/nodes", { metadata: { name: "n1" } });
  await call("POST", "/api/v1/namespaces", { metadata: { name: "work" } });
  const labels = { app: "web" };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "one", image: "one" }], restartPolicy: "Always" },
  };
  const spec = { selector: { matchLabels: labels }, template };
  const metadata = { name: "web" };
  const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
  for (const kind of ["deployments", "daemonsets", "statefulsets"]) {
    const path = `/apis/apps/v1/namespaces/work/${kind}`;
    await call("POST", path, { metadata, spec: { ...spec, serviceName: "web" } });
  }
  await call("POST", "/apis/batch/v1/namespaces/work/jobs", { metadata, spec: { template: once } });
  const service = { selector: labels, ports: [{ port: 80 }] };
  await call("POST", `${namespace}/services`, { metadata, spec: service });
  const ownersOf = async () => {
    const { items = [] } = await call("GET", `${namespace}/pods`);
    const pods = items as { metadata: { ownerReferences: { kind: string }[] } }[];
    return pods.map((pod) => pod.metadata.ownerReferences[0]?.kind);
  };
  await until(ownersOf, (kinds) =>
    ["Job", "ReplicaSet", "StatefulSet"].every((kind) => kinds.includes(kind)),
  );
  const codeOf = async (path: string) => (await server.call("GET", path)).code;
  await until(
    () => codeOf(`${namespace}/endpoints/web`),
    (code) => code === 200,
  );
  await until(
    () => codeOf(`${namespace}/configmaps/kube-root-ca.crt`),
    (code) => code === 200,
  );
  await call("DELETE", "/api/v1/namespaces/work");
  await until(
    () => codeOf("/api/v1/namespaces/work"),
    (code) => code === 404,
  );

  // The server goes on writing: the last line may be half a line.
  const lines = (await readFile(log, "utf8")).split("\n").slice(0, -1);
  const asked = lines
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ user }) => user.username === controllers);
  assert.ok(asked.length > 100, "the log has what the controllers did");
  assert.ok(asked.every(({ user }) => !user.groups.includes("system:masters")));
  // Nothing is made in a namespace that goes, and controllers are told so in the same words.
  const refused = asked
    .filter(({ responseStatus }) => responseStatus.code === 403)
    .filter(({ verb, requestURI }) => verb !== "create" || !requestURI.includes("/work/"));
  assert.deepEqual(refused, []);

  const denied: [verb: string, group: string, resource: string, subresource?: string][] = [
    ["create", "", "secrets"],
    ["create", "", "nodes"],
    ["create", "", "services"],
    ["create", "", "serviceaccounts", "token"],
    ["create", "", "pods", "exec"],
    ["impersonate", "", "users"],
    ["create", "rbac.authorization.k8s.io", "clusterrolebindings"],
    ["update", "rbac.authorization.k8s.io", "clusterroles"],
    ["escalate", "rbac.authorization.k8s.io", "clusterroles"],
    ["bind", "rbac.authorization.k8s.io", "clusterroles"],
    ["create", "apiextensions.k8s.io", "customresourcedefinitions"],
  ];
  for (const [verb, group, resource, subresource = ""] of denied) {
    const { status } = await call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      spec: { user: controllers, resourceAttributes: { verb, group, resource, subresource } },
    });
    const { allowed } = status as { allowed: boolean };
    assert.equal(allowed, false, `${verb} ${resource}/${subresource}`);
  }
});
