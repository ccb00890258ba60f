import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ServicePort } from "../../../api/types/core.ts";
import { made } from "./testing/made.ts";
import { claimed, podOf, serviceOf } from "./testing/objects.ts";
import { wantedFamilies } from "./wanted-families.ts";

const arbitraryPod = fc
  .record({
    number: fc.integer({ min: 1, max: 200 }),
    families: fc.subarray(["IPv4", "IPv6"]),
    isClaimed: fc.boolean(),
    ready: fc.boolean(),
    terminating: fc.boolean(),
    phase: fc.constantFrom("Pending", "Running", "Running", "Succeeded"),
    port: fc.option(fc.constantFrom(8080, 9090)),
    node: fc.constantFrom("n1", "n2", "n3"),
  })
  .map(({ number, families, isClaimed, port, ...traits }) => {
    const texts = families.map((family) =>
      family === "IPv4" ? `10.0.0.${number}` : `fd00::${number}`,
    );
    const ips = texts.map((ip, index) => (isClaimed && index === 0 ? claimed(ip) : ip));
    const ports = port === null ? [] : [{ name: "http", containerPort: port }];
    return podOf({ ...traits, name: `p${number}`, ips, ports });
  });

const arbitraryService = fc.record({
  ipFamilies: fc.constantFrom<("IPv4" | "IPv6")[][]>(
    ["IPv4"],
    ["IPv6"],
    ["IPv4", "IPv6"],
    ["IPv6", "IPv4"],
  ),
  endpointFamily: fc.constantFrom("ipv4", "ipv6", "dual-stack"),
  publishNotReadyAddresses: fc.boolean(),
  ports: fc.constantFrom<ServicePort[][]>(
    [{ port: 80, targetPort: 8080 }],
    [
      { name: "a", port: 80, targetPort: "http" },
      { name: "b", port: 81, targetPort: 1 },
    ],
  ),
});

test("[EP-1] [EP-3] [SVC-2] whatever the pods, Endpoints and slices agree", () => {
  const pods = fc.uniqueArray(arbitraryPod, { selector: ({ metadata }) => metadata.name });
  fc.assert(
    fc.property(arbitraryService, pods, (spec, all) => {
      const service = serviceOf(spec);
      const { subsets, groups } = made(service, all);
      const wanted = wantedFamilies(service);
      for (const isReady of [true, false]) {
        const list = isReady ? "addresses" : "notReadyAddresses";
        const inEndpoints = subsets.flatMap(({ [list]: addresses = [], ports = [] }) =>
          addresses.flatMap(({ ips = [] }) =>
            ips.flatMap((ip) => ports.map(({ name = "", port }) => `${ip} ${name} ${port}`)),
          ),
        );
        const inSlices = groups.flatMap(({ endpoints, ports }) =>
          [...endpoints.values()]
            .filter(({ conditions = {} }) => conditions.ready === isReady)
            .filter(({ conditions = {} }) => isReady || conditions.terminating !== true)
            .flatMap(({ addresses }) =>
              ports.map(({ name, port }) => `${addresses[0]} ${name} ${port}`),
            ),
        );
        assert.deepEqual(inEndpoints.toSorted(), inSlices.toSorted());
      }
      for (const { family } of groups) assert.ok(wanted.includes(family));
      const entries = subsets.flatMap(({ addresses = [], notReadyAddresses = [] }) => [
        ...addresses,
        ...notReadyAddresses,
      ]);
      const uids = entries.map(({ targetRef }) => targetRef?.uid);
      assert.equal(new Set(uids).size, uids.length, "one endpoint for each pod");
      for (const { ip, ips = [] } of entries) {
        assert.equal(ip, ips[0]);
        const families = ips.map((each) => (each.includes(":") ? "IPv6" : "IPv4"));
        assert.deepEqual(
          families,
          wanted.filter((family) => families.includes(family)),
        );
      }
    }),
  );
});
