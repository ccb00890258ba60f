// The API server reaches pods and services, though its own network has no route to them.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { type DisposableCluster, disposableCluster } from "./cluster.fixture.ts";

const program = new URL("webhook-program.ts", import.meta.url).pathname;

const objects = `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec:
  terminationGracePeriodSeconds: 0
  containers: [{ name: main, image: tandem.internal/echo, ports: [{ name: http, containerPort: 8080 }] }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ name: http, port: 80, targetPort: http }] }
---
apiVersion: v1
kind: Service
metadata: { name: six }
spec: { ipFamilies: [IPv6], selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
---
apiVersion: v1
kind: Service
metadata: { name: hooks }
spec: { selector: { app: web }, ports: [{ port: 443, targetPort: 8443 }] }
`;

describe("[API-11] an API server without a route to pods", () => {
  let cluster: DisposableCluster;
  let hooks: ChildProcess | undefined;
  before(async () => {
    cluster = await disposableCluster({ nodes: 1, dns: false });
    await cluster.up();
    await cluster.kubectl.pipe(objects, "apply", "-f", "-");
    await cluster.kubectl.run("wait", "--for=condition=Ready", "pod/web", "--timeout=90s");
  });
  after(async () => {
    hooks?.kill("SIGKILL");
    await cluster[Symbol.asyncDispose]();
  });
  const raw = (path: string) =>
    cluster.kubectl.run("get", "--raw", `/api/v1/namespaces/default/${path}`);
  const echoed = async (path: string) => {
    const said = await cluster.until(path, async () => {
      try {
        return await raw(path);
      } catch (error) {
        // The endpoints of a service follow its pods.
        if (!(error instanceof Error) || !/no endpoints available/.test(error.message)) throw error;
        return undefined;
      }
    });
    return JSON.parse(said) as { path: string; server: { address: string } };
  };

  test("pods and services are proxied, by number and name of their port, over both families", async () => {
    const [four, six] = ["pods/web:8080/proxy/a", "services/six/proxy/b"];
    assert.equal((await echoed(four)).path, "/a");
    assert.equal((await echoed("services/web:80/proxy/c?d=e")).path, "/c?d=e");
    assert.equal((await echoed("services/http:web:http/proxy/")).path, "/");
    const { address } = (await echoed(six)).server;
    assert.match(address, /^fd00:10:244:/);
    await assert.rejects(raw("pods/web:81/proxy/"), /ECONNREFUSED/);
  });

  test("[API-8] a webhook behind a service is asked about objects and connections", async () => {
    const way = await cluster.wayInto("web");
    const [command, ...words] = [...way, process.execPath, program];
    hooks = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
    const [caBundle] = (await once(
      createInterface(hooks.stdout as NodeJS.ReadableStream),
      "line",
    )) as [string];
    const webhook = (name: string, rule: object) => ({
      name: `${name}.example.test`,
      clientConfig: {
        service: { namespace: "default", name: "hooks", path: `/${name}` },
        caBundle,
      },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], ...rule }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    });
    const apiVersion = "admissionregistration.k8s.io/v1";
    const mark = webhook("mark", { operations: ["CREATE"], resources: ["configmaps"] });
    const enter = webhook("enter", { operations: ["CONNECT"], resources: ["pods/exec"] });
    for (const [kind, webhooks] of Object.entries({
      MutatingWebhookConfiguration: [mark],
      ValidatingWebhookConfiguration: [enter],
    })) {
      const object = { apiVersion, kind, metadata: { name: "hooks" }, webhooks };
      await cluster.kubectl.pipe(object, "apply", "-f", "-");
    }
    await cluster.kubectl.run("create", "configmap", "one", "--from-literal=a=b");
    const data = await cluster.kubectl.run("get", "configmap", "one", "-o", "jsonpath={.data}");
    assert.deepEqual(JSON.parse(data), { a: "b", marked: "yes" });
    await assert.rejects(cluster.kubectl.run("exec", "web", "--", "true"), /nobody enters/);
  });
});
