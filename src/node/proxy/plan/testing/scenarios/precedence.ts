import { networkOf, service, slices } from "../scenario.ts";
import { everywhere, type Scenarios } from "./scenarios.ts";

export const precedence: Scenarios = {
  "a load balancer that translates by itself is left alone": {
    objects: () => [service({ ...everywhere, ipMode: "Proxy" }), ...slices(["a"])],
    packets: `
                 | pod  | client
      lb:80      | pass | pass
      node:30080 | a*   | a*`,
  },
  "a load balancer in mode VIP is the usual one": {
    objects: () => [service({ ...everywhere, ipMode: "VIP" }), ...slices(["a"])],
    packets: `
            | pod | client
      lb:80 | a*  | a*`,
  },
  "[PROXY-2] services of another proxy": {
    objects: () => [
      service({ ...everywhere, labels: { "service.kubernetes.io/service-proxy-name": "other" } }),
      ...slices(["a"]),
    ],
    packets: `
                 | pod  | client
      cluster:80 | pass | pass
      lb:80      | pass | pass
      node:30080 | pass | pass`,
  },
  "services of this proxy by name": {
    proxyName: "other",
    objects: () => [
      service({ labels: { "service.kubernetes.io/service-proxy-name": "other" } }),
      service({ name: "unlabelled", cluster: ["other"] }),
      ...slices(["a"]),
      ...slices(["b"], { of: "unlabelled" }),
    ],
    packets: `
                 | pod  | client
      cluster:80 | a    | a*
      other:80   | pass | pass`,
  },
  "headless and external names": {
    objects: () => [
      { ...service(), spec: { ...service().spec, clusterIPs: ["None"], clusterIP: "None" } },
      service({ name: "name", type: "ExternalName", cluster: ["other"] }),
      ...slices(["a"]),
      ...slices(["a"], { of: "name" }),
    ],
    packets: `
                 | pod
      cluster:80 | pass
      other:80   | pass`,
  },
  "the older of two services has a place that both claim": {
    objects: () => [
      service({ ...everywhere, name: "young", since: "2026-06-01T00:00:00Z", cluster: ["other"] }),
      service({ ...everywhere, name: "old", since: "2026-05-01T00:00:00Z" }),
      ...slices(["a"], { of: "young" }),
      ...slices(["b"], { of: "old" }),
    ],
    packets: `
                  | pod | client
      other:80    | a   | a*
      cluster:80  | b   | b*
      node:30080  | b*  | b*
      external:80 | b*  | b*
      lb:80       | b*  | b*`,
  },
  "an external IP never takes a cluster IP away from its service": {
    objects: () => [
      service({
        name: "thief",
        since: "2020-01-01T00:00:00Z",
        cluster: ["other"],
        external: ["cluster"],
      }),
      service(),
      ...slices(["a"], { of: "thief" }),
      ...slices(["b"]),
    ],
    packets: `
                 | pod | client
      cluster:80 | b   | b*
      other:80   | a   | a*`,
  },
  "an external IP that is the load balancer's address does not open it": {
    objects: (family) => [
      service({
        ...everywhere,
        external: ["lb"],
        loadBalancerSourceRanges: [networkOf("nodes", family).toString()],
      }),
      ...slices(["a"]),
    ],
    packets: `
            | node | client
      lb:80 | a*   | drop`,
  },
};
