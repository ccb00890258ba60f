import { service, slices } from "../scenario.ts";
import { everywhere, local, type Scenarios } from "./scenarios.ts";

const unready = { conditions: { ready: false, serving: false } } as const;

export const policies: Scenarios = {
  "[PROXY-2] every way in, external traffic policy Local": {
    objects: () => [service({ ...everywhere, ...local }), slices(["a", "b", "d"])].flat(),
    packets: `
                  | pod   | a      | node     | peer     | client   | stranger
      cluster:80  | a b d | a* b d | a* b* d* | a* b* d* | a* b* d* | a* b* d*
      node:30080  | a b d | a* b d | a* b* d* | a d      | a d      | a d
      external:80 | a b d | a* b d | a* b* d* | a d      | a d      | a d
      lb:80       | a b d | a* b d | a* b* d* | a d      | a d      | a d`,
  },
  "[PROXY-2] policy Local without a local endpoint drops what comes from outside": {
    objects: () => [service({ ...everywhere, ...local }), slices(["b"])].flat(),
    packets: `
                  | pod | c | node | peer | client
      cluster:80  | b   | b | b*   | b*   | b*
      node:30080  | b   | b | b*   | drop | drop
      external:80 | b   | b | b*   | drop | drop
      lb:80       | b   | b | b*   | drop | drop`,
  },
  "[PROXY-2] without any endpoint everything is refused": {
    objects: () => [service(everywhere)],
    packets: `
                  | pod    | node   | peer   | client
      cluster:80  | reject | reject | reject | reject
      node:30080  | reject | reject | reject | reject
      external:80 | reject | reject | reject | reject
      lb:80       | reject | reject | reject | reject`,
  },
  "[PROXY-2] without any endpoint, policy Local refuses, too": {
    objects: () => [
      service({ ...everywhere, ...local, internalTrafficPolicy: "Local" }),
      ...slices({ a: unready, b: unready }),
    ],
    packets: `
                  | pod    | node   | peer   | client
      cluster:80  | reject | reject | reject | reject
      node:30080  | reject | reject | reject | reject
      external:80 | reject | reject | reject | reject
      lb:80       | reject | reject | reject | reject`,
  },
  "[PROXY-2] internal traffic policy Local": {
    objects: () => [
      service({ ...everywhere, internalTrafficPolicy: "Local" }),
      ...slices(["a", "b"]),
    ],
    packets: `
                  | pod   | a     | node  | peer  | client
      cluster:80  | a     | a*    | a*    | a*    | a*
      node:30080  | a* b* | a* b* | a* b* | a* b* | a* b*
      external:80 | a* b* | a* b* | a* b* | a* b* | a* b*
      lb:80       | a* b* | a* b* | a* b* | a* b* | a* b*`,
  },
  "[PROXY-2] internal traffic policy Local without a local endpoint drops": {
    objects: () => [
      service({ ...everywhere, internalTrafficPolicy: "Local" }),
      ...slices(["b", "c"]),
    ],
    packets: `
                  | pod   | node  | client
      cluster:80  | drop  | drop  | drop
      node:30080  | b* c* | b* c* | b* c*
      lb:80       | b* c* | b* c* | b* c*`,
  },
  "[PROXY-2] both traffic policies Local": {
    objects: () => [
      service({ ...everywhere, ...local, internalTrafficPolicy: "Local" }),
      ...slices(["a", "b"]),
    ],
    packets: `
                  | pod | a    | node  | peer | client
      cluster:80  | a   | a*   | a*    | a*   | a*
      node:30080  | a b | a* b | a* b* | a    | a
      external:80 | a b | a* b | a* b* | a    | a
      lb:80       | a b | a* b | a* b* | a    | a`,
  },
  "session affinity changes nothing about who may be reached": {
    isSticky: true,
    objects: () => [
      service({ ...everywhere, ...local, sessionAffinity: "ClientIP" }),
      ...slices(["a", "b"]),
    ],
    packets: `
                 | pod | node  | client
      cluster:80 | a b | a* b* | a* b*
      lb:80      | a b | a* b* | a`,
  },
};
