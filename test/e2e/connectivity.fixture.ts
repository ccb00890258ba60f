// Who reaches whom in a cluster, asked with real packets: servers report which address they were asked
// from.

import assert from "node:assert/strict";
import type { Pod } from "../../src/api/types/core.ts";
import { Address } from "../../src/net/address.ts";
import type { Family } from "../../src/net/family.ts";
import type { TestCluster } from "./cluster.fixture.ts";

export const echoProgram = new URL("../../build/tandem-echo", import.meta.url).pathname;
export const echoPort = 8080;

export interface EchoPodOptions {
  readonly name: string;
  readonly node: string;
  readonly hostPort?: number;
  readonly hostNetwork?: boolean;
  readonly port?: number;
}

/** A pod that says who asks it; a second container beside the first asks. */
export function echoPod({ name, node, hostPort, hostNetwork, port = echoPort }: EchoPodOptions) {
  const ports = (["TCP", "UDP"] as const).map((protocol) => ({
    containerPort: port,
    protocol,
    ...(hostPort === undefined ? {} : { hostPort }),
  }));
  const image = "tandem.internal/echo";
  const args = ["serve", `--http-port=${port}`, `--udp-port=${port}`];
  const beside = ["serve", `--http-port=${port + 1}`, `--udp-port=${port + 1}`];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "echo" } },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      ...(hostNetwork === undefined ? {} : { hostNetwork }),
      containers: [
        {
          name: "echo",
          image,
          args,
          ports,
          readinessProbe: { httpGet: { path: "/healthz", port }, periodSeconds: 1 },
        },
        { name: "beside", image, args: beside },
      ],
    },
  };
}

/** Applies all of them and waits until they are ready. */
export async function runPods(
  cluster: TestCluster,
  pods: readonly object[],
): Promise<ReadonlyMap<string, Pod>> {
  await cluster.kubectl.pipe({ apiVersion: "v1", kind: "List", items: pods }, "apply", "-f", "-");
  await cluster.kubectl.run("wait", "--for=condition=Ready", "pods", "--all", "--timeout=60s");
  const list = JSON.parse(await cluster.kubectl.run("get", "pods", "-o", "json")) as {
    items: Pod[];
  };
  return new Map(list.items.map((pod) => [pod.metadata.name ?? "", pod]));
}

export function addressOf(pod: Pod | undefined, family: Family): string {
  const found = (pod?.status?.podIPs ?? []).find(({ ip }) => Address.parse(ip).family === family);
  assert.ok(found !== undefined, `${pod?.metadata.name} has an address of ${family}`);
  return found.ip;
}

export interface Echo {
  readonly client: { readonly address: string };
  readonly pod: { readonly name: string };
}

/** Asks over both protocols; they agree on who asked. */
export async function ask(
  cluster: TestCluster,
  from: string,
  { address, port = echoPort }: { readonly address: string; readonly port?: number },
): Promise<Echo> {
  const host = address.includes(":") ? `[${address}]` : address;
  const client = cluster.in(from);
  const [http, udp] = await Promise.all([
    client.run([echoProgram, "get", `http://${host}:${port}/`, "--timeout=5s"]),
    client.run([echoProgram, "udp", `${host}:${port}`, "hello", "--timeout=5s"]),
  ]);
  const [overHttp, overUdp] = [http, udp].map(({ stdout }) => JSON.parse(stdout) as Echo);
  assert.ok(overHttp !== undefined);
  assert.equal(overUdp?.client.address, overHttp.client.address, "over HTTP and over UDP");
  return overHttp;
}
