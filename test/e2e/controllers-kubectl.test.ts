// Dual-stack pods, endpoints and services as genuine kubectl shows them.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Service } from "../../src/api/types/core.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { until } from "../fixtures/controllers.ts";
import { TestServer } from "../fixtures/server.ts";

const fetcher = new URL("../../tools/fetch-kubectl", import.meta.url).pathname;
let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.[Symbol.asyncDispose]());

for (const version of ["1.20", "1.32", "1.36"]) {
  test(`[POD-9] [EP-5] [SVC-8] kubectl ${version} shows all addresses of pods, endpoints and services`, async () => {
    const program = await output([fetcher, version]);
    const namespace = `with-${version.replace(".", "-")}`;
    const kubectl = async (...args: string[]) =>
      await output([program.trim(), `--kubeconfig=${server.kubeconfig}`, "-n", namespace, ...args]);
    await kubectl("create", "namespace", namespace);
    await createPod(namespace, 1);
    await create(namespace, "services", {
      metadata: { name: "nginx-service" },
      spec: {
        selector: { app: "nginx" },
        ipFamilyPolicy: "RequireDualStack",
        ipFamilies: ["IPv6", "IPv4"],
        ports: [{ port: 80 }],
      },
    });
    await createPod(namespace, 2);
    const shown = await until(
      () => kubectl("get", "endpoints", "--ignore-not-found", "nginx-service"),
      (text) => text.includes("192.168.1.3") && text.includes("192.168.2.3"),
    );
    assert.match(
      shown,
      /^NAME +ENDPOINTS +AGE\nnginx-service +\{\[fd00:db8:1::2\]:80,192\.168\.1\.3:80\} +\d+s\n +\{\[fd00:db8:2::2\]:80,192\.168\.2\.3:80\} +\d+s\n$/,
    );
    assert.match(
      await kubectl("get", "pod", "nginx-1", "-o", "wide"),
      /^NAME .* IP .*\nnginx-1 .* fd00:db8:1::2,192\.168\.1\.3 .*\n$/,
    );
    assert.match(
      await kubectl("get", "service", "nginx-service"),
      /CLUSTER-IP[^\n]*\nnginx-service +ClusterIP +fd00:96::[0-9a-f]+,10\.96\.\d+\.\d+ /,
    );
    // Another controller writes these, in its own time.
    await until(
      () => kubectl("get", "endpointslices", "--no-headers"),
      (slices) =>
        /IPv4 +80 +192\.168\.1\.3,192\.168\.2\.3/.test(slices) &&
        /IPv6 +80 +fd00:db8:1::2,fd00:db8:2::2/.test(slices),
    );
    assert.match(
      await kubectl("get", "endpoints", "nginx-service", "-o", "wide"),
      / \{\[fd00:db8:1::2\]:80,192\.168\.1\.3:80\},\{\[fd00:db8:2::2\]:80,192\.168\.2\.3:80\}\n/,
    );
    // Newer ones count the endpoints of all slices under the usual label.
    const spec = { selector: { app: "nginx" }, ports: [{ port: 80 }] };
    await create(namespace, "services", { metadata: { name: "plain" }, spec });
    await until(
      () => kubectl("describe", "service", "plain"),
      (text) => (/^Endpoints: +(.*)$/m.exec(text)?.[1] ?? "").split(",").length === 2,
    );
  });
}

test("[SVC-1] kubectl apply of a manifest with endpointFamily and another policy has both at once", async () => {
  const program = (await output([fetcher, "1.32"])).trim();
  const directory = await mkdtemp(join(tmpdir(), "tandem-apply-"));
  const file = join(directory, "service.json");
  const apply = async (spec: object) => {
    const metadata = { name: "applied", namespace: "default" };
    const ports = [{ port: 80 }];
    const manifest = { apiVersion: "v1", kind: "Service", metadata, spec: { ports, ...spec } };
    await writeFile(file, JSON.stringify(manifest));
    await output([program, `--kubeconfig=${server.kubeconfig}`, "apply", "-f", file]);
    const answer = await server.call("GET", "/api/v1/namespaces/default/services/applied");
    return (JSON.parse(answer.text) as Service).spec;
  };
  try {
    const { endpointFamily } = await apply({ ipFamilyPolicy: "SingleStack" });
    assert.match(endpointFamily ?? "", /^ipv[46]$/);
    const both = await apply({ ipFamilyPolicy: "PreferDualStack", endpointFamily });
    assert.equal(both.ipFamilies?.length, 2);
    assert.equal(both.endpointFamily, endpointFamily);
    const without = await apply({ ipFamilyPolicy: "PreferDualStack" });
    assert.equal(without.endpointFamily, "dual-stack");
  } finally {
    await rm(directory, { recursive: true });
  }
});

async function output(command: readonly [string, ...string[]]): Promise<string> {
  return (await systemCommands().run(command, { timeoutMs: 300_000 })).stdout;
}

async function createPod(namespace: string, number: number): Promise<void> {
  const name = `nginx-${number}`;
  await create(namespace, "pods", {
    metadata: { name, labels: { app: "nginx" } },
    spec: { containers: [{ name: "main", image: "nginx" }] },
  });
  const podIPs = [{ ip: `fd00:db8:${number}::2` }, { ip: `192.168.${number}.3` }];
  const conditions = [{ type: "Ready", status: "True" }];
  const body = JSON.stringify({ status: { phase: "Running", podIPs, conditions } });
  const type = "application/merge-patch+json";
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
  const answer = await server.send("PATCH", path, { body, type });
  assert.equal(answer.code, 200, answer.text);
}

async function create(namespace: string, plural: string, object: object): Promise<void> {
  const answer = await server.call("POST", `/api/v1/namespaces/${namespace}/${plural}`, object);
  assert.equal(answer.code, 201, answer.text);
}
