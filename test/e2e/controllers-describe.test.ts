// `tandem describe` beside genuine kubectl, on the same objects.
import assert from "node:assert/strict";
import { test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { until } from "../fixtures/controllers.ts";
import { TestServer } from "../fixtures/server.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const fetcher = new URL("../../tools/fetch-kubectl", import.meta.url).pathname;
const namespace = "/api/v1/namespaces/default";

async function output(...command: string[]): Promise<string> {
  return (await systemCommands().run(command, { timeoutMs: 300_000 })).stdout;
}

/** Lines that say the same, however far apart their columns are and whatever the time is. */
function saying(text: string): string[] {
  return text.split("\n").map((line) => {
    const apart = line.trimEnd().replaceAll(/(\S) {2,}/g, "$1  ");
    return apart.replace(/ \d+s( |$)/, " AGE$1");
  });
}

/** What kubectl says and we do not. */
function missing(ours: string, theirs: string): string[] {
  const said = new Set(saying(ours));
  return saying(theirs).filter((line) => !said.has(line));
}

test("[POD-9] [EP-5] [SVC-8] tandem describe says what kubectl says, and all addresses", async () => {
  // Others would change the node and the pods, and tell of it, while they are described twice.
  await using server = await TestServer.start({
    arguments: ["--controllers=endpoints,endpointslices"],
  });
  const kubectl = (await output(fetcher, "1.32")).trim();
  const call = async (method: string, path: string, body: object) => {
    const answer = await server.send(method, path, {
      body: JSON.stringify(body),
      type: method === "PATCH" ? "application/merge-patch+json" : "application/json",
    });
    assert.ok(answer.code < 300, answer.text);
  };
  const taints = [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }];
  await call("POST", "/api/v1/nodes", {
    metadata: { name: "n1" },
    spec: { unschedulable: true, taints },
  });
  const addresses = ["192.0.2.1", "2001:db8::1"].map((address) => ({
    type: "InternalIP",
    address,
  }));
  const allocatable = { cpu: "2", memory: "1Gi" };
  await call("PATCH", "/api/v1/nodes/n1/status", { status: { addresses, allocatable } });
  await call("POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", {
    metadata: { name: "n1" },
    spec: { holderIdentity: "n1", renewTime: "2026-01-01T00:00:00.000000Z" },
  });
  const ports = [{ containerPort: 80, name: "http" }];
  const image = "registry/image:1";
  const env = [{ name: "GREETING", value: "hello" }];
  const resources = { requests: { cpu: "250m", memory: "64Mi" }, limits: { memory: "128Mi" } };
  for (const n of [1, 2]) {
    await call("POST", `${namespace}/pods`, {
      metadata: { name: `web-${n}`, labels: { app: "web" }, annotations: { note: "a note" } },
      spec: {
        nodeName: "n1",
        containers: [{ name: "main", image, ports, env, resources, args: ["--verbose"] }],
        volumes: [{ name: "scratch", emptyDir: {} }],
      },
    });
    const podIPs = [{ ip: `10.0.0.${n}` }, { ip: `fd00::${n}` }];
    await call("PATCH", `${namespace}/pods/web-${n}/status`, {
      status: { phase: "Running", podIPs, conditions: [{ type: "Ready", status: "True" }] },
    });
  }
  await call("POST", `${namespace}/services`, {
    metadata: { name: "web", labels: { team: "blue" } },
    spec: {
      type: "NodePort",
      ipFamilyPolicy: "PreferDualStack",
      selector: { app: "web" },
      ports: [{ port: 80, targetPort: "http", nodePort: 30_080 }],
    },
  });
  await until(
    async () => (await server.call("GET", `${namespace}/endpoints/web`)).text,
    (text) => text.includes("10.0.0.1") && text.includes("10.0.0.2"),
  );
  const both = async (kind: string, name: string) => ({
    ours: await output(launcher, "describe", kind, name, `--kubeconfig=${server.kubeconfig}`),
    theirs: await output(kubectl, "describe", kind, name, `--kubeconfig=${server.kubeconfig}`),
  });

  const pod = await both("pod", "web-1");
  assert.match(pod.ours, /^IPs: {14}10\.0\.0\.1,fd00::1$/m);
  assert.deepEqual(missing(pod.ours, pod.theirs), ["IPs:", "  IP:  10.0.0.1", "  IP:  fd00::1"]);

  const service = await both("service", "web");
  const pairs =
    /^Endpoints: +\{10\.0\.0\.1:80,\[fd00::1\]:80\}\n +\{10\.0\.0\.2:80,\[fd00::2\]:80\}$/m;
  assert.match(service.ours, pairs);
  assert.match(service.ours, /^Endpoint Family: +dual-stack$/m);
  assert.deepEqual(
    missing(service.ours, service.theirs).filter((line) => !line.startsWith("Endpoints:")),
    [],
  );

  const endpoints = await both("endpoints", "web");
  assert.match(endpoints.ours, /Addresses: +\{10\.0\.0\.1,fd00::1\}\n +\{10\.0\.0\.2,fd00::2\}\n/);
  assert.deepEqual(missing(endpoints.ours, endpoints.theirs), ["  Addresses:  10.0.0.1,10.0.0.2"]);

  const node = await both("node", "n1");
  assert.match(node.ours, /^ {2}InternalIP: {2}2001:db8::1$/m);
  assert.deepEqual(missing(node.ours, node.theirs), []);
});
