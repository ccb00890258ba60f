import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndpointAddress, Endpoints } from "../../types/core.ts";
import type { WriteContext } from "../kind.ts";
import { endpoints } from "./endpoints.ts";

const settings = { serviceCidrs: ["10.96.0.0/16"], now: () => new Date() };

function of(addresses: Partial<EndpointAddress>[], ports = [80]): Endpoints {
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "web", namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z" },
    subsets: [
      {
        addresses: addresses as EndpointAddress[],
        ports: ports.map((port) => ({ name: `p${port}`, port, protocol: "TCP" })),
      },
    ],
  };
}

function write(
  request: Endpoints,
  context: Partial<WriteContext<Endpoints>> = {},
): { result: Endpoints; errors: string[] } {
  const result = structuredClone(request);
  const outcome = endpoints.reconcile?.(result, { settings, ...context });
  const errors = [...(outcome?.errors ?? []), ...(endpoints.validate?.(result, settings) ?? [])];
  return { result, errors: errors.map(({ field, detail }) => `${field}: ${detail}`) };
}

const pair = { ip: "fd00:db8:1::2", ips: ["fd00:db8:1::2", "192.168.1.3"] };

test("[EP-1] an endpoint holds a pair; the singular is its first", () => {
  const { result, errors } = write(of([{ ips: pair.ips }]));
  assert.deepEqual(errors, []);
  assert.deepEqual(result.subsets?.[0]?.addresses?.[0], pair);
});

test("[EP-1] disagreement is refused, naming the field", () => {
  const { errors } = write(of([{ ip: "192.168.1.3", ips: pair.ips }]));
  assert.deepEqual(errors, [
    'subsets[0].addresses[0].ip: must equal ips[0], which is "fd00:db8:1::2"',
  ]);
});

test("[EP-1] two of one family are no pair", () => {
  const { errors } = write(of([{ ips: ["10.0.0.1", "10.0.0.2"] }]));
  assert.deepEqual(errors, [
    "subsets[0].addresses[0].ips[1]: may specify no more than one IPv4 address",
  ]);
});

test("[POD-10] a client that drops ips keeps them, wherever the address moves", () => {
  const old = of([pair, { ip: "10.0.0.9" }]);
  const { result } = write(of([{ ip: "10.0.0.9" }, { ip: pair.ip }]), { old });
  assert.deepEqual(result.subsets?.[0]?.addresses?.[1], pair);
});

test("[POD-10] an explicitly empty list drops the second address", () => {
  const { result } = write(of([{ ip: pair.ip, ips: [] }]), { old: of([pair]) });
  assert.deepEqual(result.subsets?.[0]?.addresses?.[0], { ip: pair.ip, ips: [pair.ip] });
});

const now = new Date("2026-01-01T00:20:00Z");
const rows = (object: Endpoints): unknown => endpoints.table?.rows(object, now);

const pairsUpTo = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    ip: `10.0.0.${n + 1}`,
    ips: [`10.0.0.${n + 1}`, `fd00::${n + 1}`],
  }));

test("[EP-5] pairs stand in braces, one a row, and together in the wide column", () => {
  const second = { ip: "fd00:db8:2::2", ips: ["fd00:db8:2::2", "192.168.2.3"] };
  const texts = ["{[fd00:db8:1::2]:80,192.168.1.3:80}", "{[fd00:db8:2::2]:80,192.168.2.3:80}"];
  assert.deepEqual(rows(of([pair, second])), [
    ["web", texts[0], "20m", texts.join()],
    ["", texts[1], "20m", ""],
  ]);
});

test("[EP-5] beyond five pairs a sixth row counts the rest, but never a single one", () => {
  const lastOf = (count: number) => endpoints.table?.rows(of(pairsUpTo(count)), now).at(-1)?.[1];
  const counts = [5, 6, 7, 20].map(
    (count) => endpoints.table?.rows(of(pairsUpTo(count)), now).length,
  );
  assert.deepEqual(counts, [5, 6, 6, 6]);
  assert.equal(lastOf(6), "{10.0.0.6:80,[fd00::6]:80}");
  assert.equal(lastOf(7), "+ 2 more");
  const [first] = endpoints.table?.rows(of(pairsUpTo(20)), now) ?? [];
  assert.equal(String(first?.[3]).split("},{").length, 20);
});

test("[EP-5] single addresses stand as in Kubernetes", () => {
  assert.deepEqual(rows(of([{ ip: "10.0.0.1" }, { ip: "fd00::1" }])), [
    ["web", "10.0.0.1:80,[fd00::1]:80", "20m", "10.0.0.1:80,[fd00::1]:80"],
  ]);
  const four = [1, 2, 3, 4].map((n) => ({ ip: `10.0.0.${n}` }));
  assert.deepEqual(
    (rows(of(four)) as unknown[][])[0]?.[1],
    "10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more...",
  );
  assert.deepEqual(rows({ ...of([]), subsets: [] }), [["web", "<none>", "20m", "<none>"]]);
});
