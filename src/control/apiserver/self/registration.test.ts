import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import type { Store } from "../../store/store.ts";
import { startServer, type TestServer } from "../testing/start.ts";
import { announce } from "./registry.ts";

const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const service = "/api/v1/namespaces/default/services/kubernetes";
let directory: string;
let store: Store;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "apiserver-self-"));
  store = await openEmbedded({ directory });
});
after(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

test("[EP-7] the kubernetes service has every live server, as pairs where they have both families", {
  timeout: 60_000,
}, async () => {
  const settings = { serviceCidrs: ["fd00:96::/112", "10.96.0.0/16"], now: () => new Date() };
  await announce(store, "another", { addresses: ["10.0.0.2"], port: 6443 });
  await using server = await startServer({ store, settings });
  server.announce({ addresses: ["10.0.0.1", "fd00::1"], port: 6443 });
  const { subsets } = await appears(server, endpoints);
  assert.deepEqual(subsets, [
    {
      addresses: [
        { ip: "10.0.0.2", ips: ["10.0.0.2"] },
        { ip: "fd00::1", ips: ["fd00::1", "10.0.0.1"] },
      ],
      ports: [{ name: "https", port: 6443, protocol: "TCP" }],
    },
  ]);
  const { spec } = await appears(server, service);
  const { clusterIPs, ports } = spec as { clusterIPs: string[]; ports: { port: number }[] };
  assert.deepEqual(clusterIPs, ["fd00:96::1", "10.96.0.1"]);
  assert.equal(ports[0]?.port, 443);
  const taken = await server.send("GET", "/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1");
  assert.equal(taken.status, 200, "the address is nobody else's");
});

test("[EP-7] a server that stops is taken from the endpoints by those that stay", {
  timeout: 120_000,
}, async () => {
  const settings = { serviceCidrs: ["10.97.0.0/16"], now: () => new Date() };
  await using staying = await startServer({ store, settings });
  staying.announce({ addresses: ["10.0.0.3"], port: 6443 });
  const addressesSeen = async () => {
    const { subsets } = await appears(staying, endpoints);
    const [subset] = subsets as { addresses: { ip: string }[] }[];
    return (subset?.addresses ?? []).map(({ ip }) => ip);
  };
  const until = async (isSo: (addresses: readonly string[]) => boolean) => {
    while (!isSo(await addressesSeen())) await delay(50);
  };
  {
    await using stopping = await startServer({ store, settings });
    stopping.announce({ addresses: ["10.0.0.4"], port: 6443 });
    await until((addresses) => addresses.includes("10.0.0.3") && addresses.includes("10.0.0.4"));
  }
  await until((addresses) => addresses.includes("10.0.0.3") && !addresses.includes("10.0.0.4"));
});

async function appears(server: TestServer, path: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { status, json } = await server.send("GET", path);
    if (status === 200) return json;
  }
}
