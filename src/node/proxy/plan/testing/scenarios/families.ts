import { type Party, service, slices } from "../scenario.ts";
import { everywhere, type Scenarios } from "./scenarios.ts";

export const families: Scenarios = {
  "[PROXY-4] a service of IPv4 endpoints has no IPv6 rules but the refusal at its cluster IP": {
    objects: () => [service({ ...everywhere, endpointFamily: "ipv4" }), ...slices(["a", "b"])],
    packets: {
      IPv4: `
                    | pod   | client
        cluster:80  | a b   | a* b*
        node:30080  | a* b* | a* b*
        external:80 | a* b* | a* b*
        lb:80       | a* b* | a* b*`,
      IPv6: `
                    | pod    | client
        cluster:80  | reject | reject
        node:30080  | pass   | pass
        external:80 | pass   | pass
        lb:80       | pass   | pass`,
    },
  },
  "[SVC-9] IPv4 endpoints behind an IPv6 cluster IP": {
    objects: () => [
      service({ ...everywhere, endpointFamily: "ipv4", clusterFamilies: ["IPv6"] }),
      ...slices(["a", "b"], { families: ["IPv4"] }),
    ],
    packets: {
      IPv4: `
                    | pod   | client
        cluster:80  | pass  | pass
        node:30080  | a* b* | a* b*
        external:80 | a* b* | a* b*
        lb:80       | a* b* | a* b*`,
      IPv6: `
                    | pod    | client
        cluster:80  | reject | reject
        node:30080  | pass   | pass`,
    },
  },
  "[SVC-6] a cluster IP of one family, everything else in both": {
    objects: () => [
      service({ ...everywhere, endpointFamily: "dual-stack", clusterFamilies: ["IPv4"] }),
      ...slices(["a", "b"]),
    ],
    packets: {
      IPv4: `
                    | pod   | node  | client
        cluster:80  | a b   | a* b* | a* b*
        node:30080  | a* b* | a* b* | a* b*
        external:80 | a* b* | a* b* | a* b*
        lb:80       | a* b* | a* b* | a* b*`,
      IPv6: `
                    | pod   | node  | client
        cluster:80  | pass  | pass  | pass
        node:30080  | a* b* | a* b* | a* b*
        external:80 | a* b* | a* b* | a* b*
        lb:80       | a* b* | a* b* | a* b*`,
    },
  },
  "[SVC-6] services of IPv4, of IPv6 and of both endpoints side by side": {
    objects: () => [
      ...shop({ name: "both", endpointFamily: "dual-stack", clusterFamilies: ["IPv4"] }, "a"),
      ...shop({ name: "four", endpointFamily: "ipv4", clusterFamilies: ["IPv4"] }, "b"),
      ...shop({ name: "six", endpointFamily: "ipv6", clusterFamilies: ["IPv6"] }, "c"),
    ],
    packets: {
      IPv4: `
                   | pod  | client
        cluster:80 | a    | a*
        other:80   | b    | b*
        unused:80  | pass | pass
        node:30080 | a*   | a*
        node:30081 | b*   | b*
        node:30082 | pass | pass`,
      IPv6: `
                   | pod  | client
        cluster:80 | pass | pass
        other:80   | pass | pass
        unused:80  | c    | c*
        node:30080 | a*   | a*
        node:30081 | pass | pass
        node:30082 | c*   | c*`,
    },
  },
  "a server that does not know endpointFamily: the families are those of the cluster IPs": {
    objects: () => [
      service({ ...everywhere, clusterFamilies: ["IPv6"], ipFamilies: ["IPv6"] }),
      ...slices(["a"], { families: ["IPv6"] }),
    ],
    packets: {
      IPv4: `
                    | pod  | client
        cluster:80  | pass | pass
        node:30080  | pass | pass
        lb:80       | pass | pass`,
      IPv6: `
                    | pod | client
        cluster:80  | a   | a*
        node:30080  | a*  | a*
        lb:80       | a*  | a*`,
    },
  },
};

const places = {
  both: { cluster: ["cluster"], nodePort: 30080 },
  four: { cluster: ["other"], nodePort: 30081 },
  six: { cluster: ["unused"], nodePort: 30082 },
} as const;

/** A service with a cluster IP and a node port of its own, and its only endpoint. */
function shop(
  shape: Parameters<typeof service>[0] & { name: keyof typeof places },
  endpoint: Party,
) {
  const { cluster, nodePort } = places[shape.name];
  const ports = [{ port: 80, nodePort }];
  return [
    service({ ...shape, type: "NodePort", cluster, ports }),
    ...slices([endpoint], { of: shape.name }),
  ];
}
