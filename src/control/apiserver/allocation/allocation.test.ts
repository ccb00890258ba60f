import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Service, ServiceSpec } from "../../../api/types/core.ts";
import { systemRandom } from "../../../base/host/random.system.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { openEmbedded } from "../../store/embedded/open.system.ts";
import type { Store } from "../../store/store.ts";
import { chooseAddress } from "./addresses.ts";
import { bandsOf, pick } from "./band.ts";
import { choosePort } from "./node-ports.ts";
import { planRepair } from "./repair.ts";
import { nodePortKey } from "./reservations.ts";
import { serviceAllocator } from "./services.ts";

const now = () => new Date("2026-01-01T00:00:00Z");
let directory: string;
let store: Store;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "tandem-allocation-"));
  store = await openEmbedded({ directory });
});
after(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

function allocator(ranges: readonly string[], taken: Set<string>) {
  const prefixes = ranges.map((text) => Prefix.parse(text));
  return serviceAllocator({
    store,
    addresses: { has: (address) => taken.has(address), all: () => taken },
    ranges: (family) => prefixes.filter((prefix) => prefix.family === family),
    nodePorts: { first: 30_000, last: 30_031 },
    random: systemRandom,
    now,
  });
}

let serial = 0;
function serviceOf(spec: ServiceSpec): Service {
  serial += 1;
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `s${serial}`, namespace: "default" },
    spec: { type: "ClusterIP" as const, ports: [{ port: 80, protocol: "TCP" as const }], ...spec },
  };
}

async function create(service: Service, from: ReturnType<typeof allocator>): Promise<Service> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const copy = structuredClone(service);
    const plan = await from.plan({ new: copy }, attempt);
    if ((await store.commit(plan)).ok) return copy;
  }
  throw new Error("too many attempts");
}

test("[SVC-5] servers that do not know of each other's choices never give an address twice", async () => {
  const blind = () => allocator(["10.1.0.0/24", "fd01::/120"], new Set());
  const servers = [blind(), blind(), blind()];
  const spec = { ipFamilies: ["IPv4", "IPv6"] as ("IPv4" | "IPv6")[] };
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      create(serviceOf(spec), servers[index % servers.length] ?? assert.fail()),
    ),
  );
  const all = made.flatMap(({ spec: { clusterIPs = [] } }) => clusterIPs);
  assert.equal(all.length, 120);
  assert.equal(new Set(all).size, 120);
  for (const { spec: made4 } of made) {
    assert.equal(made4.clusterIP, made4.clusterIPs?.[0]);
    assert.deepEqual(
      made4.clusterIPs?.map((text) => Address.parse(text).family),
      ["IPv4", "IPv6"],
    );
  }
});

test("[SVC-5] a static request is honoured, refused when taken or out of range, freed with the service", async () => {
  // One range that is known from two places is told once.
  const from = allocator(["10.2.0.0/24", "10.2.0.0/24"], new Set());
  const wanted = serviceOf({ ipFamilies: ["IPv4"], clusterIPs: ["10.2.0.10"] });
  const first = await create(wanted, from);
  assert.equal(first.spec.clusterIP, "10.2.0.10");
  await assert.rejects(
    create(
      serviceOf({ ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[], clusterIPs: ["10.2.0.10"] }),
      from,
    ),
    /spec.clusterIPs\[0\].*failed to allocate IP 10.2.0.10: provided IP is already allocated/,
  );
  for (const outside of ["10.3.0.1", "10.2.0.0", "10.2.0.255"]) {
    await assert.rejects(
      create(serviceOf({ ipFamilies: ["IPv4"], clusterIPs: [outside] }), from),
      /is not in the valid range. The range of valid IPs is 10.2.0.0\/24$/,
    );
  }
  assert.ok((await store.commit(await from.plan({ old: first }, 0))).ok);
  await create(
    serviceOf({ ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[], clusterIPs: ["10.2.0.10"] }),
    from,
  );
});

test("[SVC-6] a node port is reserved once, whatever the families, and stays with its service", async () => {
  const from = allocator(["10.4.0.0/24", "fd04::/112"], new Set());
  const spec = { type: "NodePort" as const, ipFamilies: ["IPv4", "IPv6"] as ("IPv4" | "IPv6")[] };
  const first = await create(serviceOf(spec), from);
  const port = first.spec.ports?.[0]?.nodePort ?? assert.fail();
  assert.notEqual(await store.get(nodePortKey(port)), undefined);
  const ports = [{ port: 80, protocol: "TCP" as const, nodePort: port }];
  await assert.rejects(create(serviceOf({ ...spec, ports }), from), /already allocated/);
  await assert.rejects(
    create(serviceOf({ ...spec, ports: [{ port: 80, nodePort: 80 }] }), from),
    /spec.ports\[0\].nodePort.*The range of valid ports is 30000-30031/,
  );
  const plain = structuredClone(first);
  plain.spec.type = "ClusterIP";
  delete plain.spec.ports?.[0]?.nodePort;
  assert.ok((await store.commit(await from.plan({ old: first, new: plain }, 0))).ok);
  assert.equal(await store.get(nodePortKey(port)), undefined);
});

test("[SVC-5] a full range says so", async () => {
  const from = allocator(["10.5.0.0/30"], new Set(["10.5.0.1", "10.5.0.2"]));
  await assert.rejects(
    create(serviceOf({ ipFamilies: ["IPv4"] as ("IPv4" | "IPv6")[] }), from),
    /the IPv4 service range is full/,
  );
});

test("[SVC-5] every address of a range is found before it is called full, the low ones last", () => {
  const prefix = Prefix.parse("10.6.0.0/24");
  const taken = new Set<string>();
  const order: bigint[] = [];
  for (;;) {
    const options = {
      taken: { has: (text: string) => taken.has(text), all: () => taken },
      chosen: new Set<string>(),
      fraction: Math.random,
    };
    const address = chooseAddress([prefix], options);
    if (address === undefined) break;
    assert.ok(prefix.contains(address) && !taken.has(address.toString()));
    taken.add(address.toString());
    order.push(address.offsetFrom(prefix.first));
  }
  assert.equal(taken.size, 254);
  assert.ok(order.slice(-16).every((offset) => offset <= 16n));
});

test("[NET-4] a choice from the whole IPv6 space is within it", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (fraction) => {
      const { upper } = bandsOf(1n << 128n, { divisor: 16n, minimum: 16n, maximum: 256n });
      const value = pick(upper, () => fraction);
      assert.ok(value >= 256n && value < 1n << 128n);
    }),
  );
});

test("[SVC-5] ports are given out until none is left", () => {
  const taken = new Set<number>();
  const range = { first: 30_000, last: 30_099 };
  for (let port = choosePort(range, taken, Math.random); port; ) {
    taken.add(port);
    port = choosePort(range, taken, Math.random);
  }
  assert.equal(taken.size, 100);
});

test("[SVC-5] the repair frees what nobody holds, reserves what is held, reports what two hold", () => {
  const one = serviceOf({ clusterIPs: ["10.7.0.1"], clusterIP: "10.7.0.1" });
  const two = serviceOf({ clusterIPs: ["10.7.0.1"], clusterIP: "10.7.0.1" });
  const stale = { key: nodePortKey(30_001), modified: 7, owner: "default/gone" };
  const repair = planRepair([one, two], [stale], { now: now(), random: systemRandom });
  assert.deepEqual(repair.findings, [
    "freed /allocations/nodeports/30001, which was reserved for default/gone and which no service holds",
    `cluster IP 10.7.0.1 is held by default/${one.metadata.name} and default/${two.metadata.name}`,
    `reserved cluster IP 10.7.0.1 for default/${one.metadata.name}, which held it without a reservation`,
  ]);
  assert.deepEqual(
    repair.transactions.map(({ compare }) => compare),
    [
      [{ key: stale.key, modified: 7 }],
      [{ key: "/registry/networking.k8s.io/ipaddresses/10.7.0.1", modified: 0 }],
    ],
  );
});
