import { service, slices } from "../scenario.ts";
import { everywhere, local, type Scenarios } from "./scenarios.ts";

const leaving = { conditions: { ready: false, serving: true, terminating: true } } as const;
const unready = { conditions: { ready: false, serving: false } } as const;

export const endpoints: Scenarios = {
  "[PROXY-2] while nobody is ready, those on their way out serve": {
    objects: () => [
      service({ ...everywhere, ...local, internalTrafficPolicy: "Cluster" }),
      ...slices({ a: leaving, b: leaving, c: unready }),
    ],
    packets: `
                 | pod | node  | client
      cluster:80 | a b | a* b* | a* b*
      lb:80      | a b | a* b* | a
      node:30080 | a b | a* b* | a`,
  },
  "[PROXY-2] the fallback is found for each policy by itself": {
    objects: () => [
      service({ ...everywhere, ...local }),
      ...slices({ a: leaving, b: {}, c: leaving }),
    ],
    packets: `
                 | pod | node | client
      cluster:80 | b   | b*   | b*
      lb:80      | b   | b*   | a
      node:30080 | b   | b*   | a`,
  },
  "[PROXY-2] a ready local endpoint is preferred to one on its way out": {
    objects: () => [service({ ...everywhere, ...local }), ...slices({ a: leaving, d: {}, b: {} })],
    packets: `
            | pod | node  | client
      lb:80 | b d | b* d* | d`,
  },
  "[EP-4] what is not ready gets nothing, what does not answer any more neither": {
    objects: () => [
      service(everywhere),
      ...slices({
        a: unready,
        b: { conditions: { ready: true } },
        c: { conditions: { ready: false, serving: false, terminating: true } },
        d: { conditions: {} },
      }),
    ],
    packets: `
                 | pod   | client
      cluster:80 | b d   | b* d*
      lb:80      | b* d* | b* d*`,
  },
  "[PROXY-2] topology hints for this zone": {
    zone: "east",
    objects: () => [
      service({ ...everywhere, ...local }),
      ...slices({
        a: { hints: { forZones: [{ name: "west" }] } },
        b: { hints: { forZones: [{ name: "east" }, { name: "west" }] } },
        c: { hints: { forZones: [{ name: "east" }] } },
      }),
    ],
    packets: `
                 | pod | node  | client
      cluster:80 | b c | b* c* | b* c*
      lb:80      | b c | b* c* | a`,
  },
  "[PROXY-2] hints for this node come before those for its zone": {
    zone: "east",
    objects: () => [
      service(),
      ...slices({
        a: { hints: { forZones: [{ name: "east" }], forNodes: [{ name: "here" }] } },
        b: { hints: { forZones: [{ name: "east" }], forNodes: [{ name: "there" }] } },
      }),
    ],
    packets: `
                 | pod | node
      cluster:80 | a   | a*`,
  },
  "hints are void if one endpoint has none": {
    zone: "east",
    objects: () => [
      service(),
      ...slices({ a: { hints: { forZones: [{ name: "east" }] } }, b: {}, c: { hints: {} } }),
    ],
    packets: `
                 | pod
      cluster:80 | a b c`,
  },
  "hints are void if none is for this zone": {
    zone: "south",
    objects: () => [service(), ...slices({ a: { hints: { forZones: [{ name: "east" }] } } })],
    packets: `
                 | pod
      cluster:80 | a`,
  },
  "hints are void on a node without a zone": {
    objects: () => [
      service(),
      ...slices({
        a: { hints: { forZones: [{ name: "east" }] } },
        b: { hints: { forZones: [{ name: "west" }] } },
      }),
    ],
    packets: `
                 | pod
      cluster:80 | a b`,
  },
  "hints of endpoints that are not ready do not count": {
    zone: "east",
    objects: () => [
      service(),
      ...slices({
        a: { hints: { forZones: [{ name: "east" }] } },
        b: { ...leaving },
        c: { hints: { forZones: [{ name: "west" }] } },
      }),
    ],
    packets: `
                 | pod
      cluster:80 | a`,
  },
};
