import { addressOf, networkOf, service, slices } from "../scenario.ts";
import { everywhere, local, type Scenarios } from "./scenarios.ts";

export const sourceRanges: Scenarios = {
  "[PROXY-2] source ranges close the load balancer's address, and nothing else": {
    objects: (family) => [
      service({
        ...everywhere,
        loadBalancerSourceRanges: [
          `${addressOf("client", family)}/${family === "IPv4" ? 24 : 120}`,
        ],
      }),
      ...slices(["a", "b"]),
    ],
    packets: `
                  | pod   | node  | peer  | client | stranger
      lb:80       | drop  | drop  | drop  | a* b*  | drop
      cluster:80  | a b   | a* b* | a* b* | a* b*  | a* b*
      node:30080  | a* b* | a* b* | a* b* | a* b*  | a* b*
      external:80 | a* b* | a* b* | a* b* | a* b*  | a* b*`,
  },
  "[PROXY-2] source ranges come before policy Local": {
    objects: (family) => [
      service({
        ...everywhere,
        ...local,
        loadBalancerSourceRanges: [
          networkOf("world", family).toString(),
          networkOf("pods", family).toString(),
        ],
      }),
      ...slices(["b"]),
    ],
    packets: `
            | pod | node | peer | client
      lb:80 | b   | drop | drop | drop`,
  },
  "[PROXY-2] a closed address drops, even without endpoints; an open one refuses": {
    objects: (family) => [
      service({
        ...everywhere,
        loadBalancerSourceRanges: [networkOf("world", family).toString()],
      }),
    ],
    packets: `
            | pod  | node | client | stranger
      lb:80 | drop | drop | reject | reject`,
  },
  "[PROXY-2] a node within the ranges may come from the load balancer's own address": {
    objects: (family) => [
      service({
        ...everywhere,
        lb: ["lb", "lb2"],
        loadBalancerSourceRanges: [networkOf("nodes", family).toString()],
      }),
      ...slices(["a"]),
    ],
    packets: `
             | node | peer | lb | lb2 | client | pod
      lb:80  | a*   | a*   | a* | a*  | drop   | drop
      lb2:80 | a*   | a*   | a* | a*  | drop   | drop`,
  },
  "[PROXY-2] ranges of one family leave the other family's address closed": {
    objects: () => [
      service({ ...everywhere, loadBalancerSourceRanges: ["203.0.0.0/16"] }),
      ...slices(["a"]),
    ],
    packets: {
      IPv4: `
                   | client | pod  | node
        lb:80      | a*     | drop | drop
        node:30080 | a*     | a*   | a*`,
      IPv6: `
                   | client | pod  | node
        lb:80      | drop   | drop | drop
        node:30080 | a*     | a*   | a*`,
    },
  },
  "the range of everything lets everyone in": {
    objects: () => [
      service({ ...everywhere, loadBalancerSourceRanges: ["10.9.9.9/32", "0.0.0.0/0", "::/0"] }),
      ...slices(["a"]),
    ],
    packets: `
            | client | stranger | pod | node
      lb:80 | a*     | a*       | a*  | a*`,
  },
  "[PROXY-5] ranges that cannot be read close the address": {
    objects: () => [
      service({ ...everywhere, loadBalancerSourceRanges: ["everyone", "10.0.0.0/64"] }),
      ...slices(["a"]),
    ],
    packets: `
                  | client | pod  | node
      lb:80       | drop   | drop | drop
      external:80 | a*     | a*   | a*`,
  },
  "source ranges mean nothing but with type LoadBalancer": {
    objects: () => [
      service({ ...everywhere, type: "NodePort", loadBalancerSourceRanges: ["1.2.3.4/32"] }),
      ...slices(["a"]),
    ],
    packets: `
                  | client | pod
      lb:80       | pass   | pass
      external:80 | a*     | a*
      node:30080  | a*     | a*`,
  },
};
