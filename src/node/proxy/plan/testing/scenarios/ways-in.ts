import { Prefix } from "../../../../../base/net/prefix.ts";
import { service, slices } from "../scenario.ts";
import { everywhere, local, type Scenarios } from "./scenarios.ts";

const everything = { IPv4: Prefix.parse("0.0.0.0/0"), IPv6: Prefix.parse("::/0") } as const;
const udp = { ports: [{ port: 8080, protocol: "UDP" as const }] };

export const waysIn: Scenarios = {
  "[PROXY-2] a cluster IP": {
    objects: () => [service(), slices(["a", "b"])].flat(),
    packets: `
                      | pod    | a      | c      | node   | peer   | client
      cluster:80      | a b    | a* b   | a b    | a* b*  | a* b*  | a* b*
      cluster:81      | reject | reject | reject | reject | reject | reject
      cluster:80/udp  | reject | reject | reject | reject | reject | reject
      cluster:80/sctp | reject | reject | reject | reject | reject | reject
      unused:80       | pass   | pass   | pass   | pass   | pass   | pass
      node:80         | pass   | pass   | pass   | pass   | pass   | pass
      a:8080          | pass   | pass   | pass   | pass   | pass   | pass`,
  },
  "[PROXY-2] every way in, traffic policy Cluster": {
    objects: () => [service(everywhere), slices(["a", "b"])].flat(),
    packets: `
                     | pod   | a     | c     | node  | peer  | client
      cluster:80     | a b   | a* b  | a b   | a* b* | a* b* | a* b*
      node:30080     | a* b* | a* b* | a* b* | a* b* | a* b* | a* b*
      external:80    | a* b* | a* b* | a* b* | a* b* | a* b* | a* b*
      lb:80          | a* b* | a* b* | a* b* | a* b* | a* b* | a* b*
      peer:30080     | pass  | pass  | pass  | pass  | pass  | pass
      loopback:30080 | pass  | pass  | pass  | pass  | pass  | pass
      node:30080/udp | pass  | pass  | pass  | pass  | pass  | pass
      lb:30080       | pass  | pass  | pass  | pass  | pass  | pass
      lb:81          | pass  | pass  | pass  | pass  | pass  | pass
      node:80        | pass  | pass  | pass  | pass  | pass  | pass`,
  },
  "[PROXY-2] protocols and ports are apart from each other": {
    objects: () => [
      service({
        type: "NodePort" as const,
        ports: [
          { name: "dns", port: 53, protocol: "UDP" as const, nodePort: 30053 },
          { name: "dns-tcp", port: 53, protocol: "TCP" as const, nodePort: 30053 },
          { name: "sigtran", port: 2905, protocol: "SCTP" as const },
          { name: "unserved", port: 99 },
        ],
      }),
      ...slices(["a"], {
        ports: [
          { name: "dns", port: 5353, protocol: "UDP" as const },
          { name: "dns-tcp", port: 5354, protocol: "TCP" as const },
          { name: "sigtran", port: 2906, protocol: "SCTP" as const },
        ],
      }),
    ],
    packets: `
                        | pod    | client
      cluster:53/udp    | a:5353 | a:5353*
      cluster:53/tcp    | a:5354 | a:5354*
      cluster:53/sctp   | reject | reject
      cluster:2905/sctp | a:2906 | a:2906*
      cluster:2905/tcp  | reject | reject
      cluster:99/tcp    | reject | reject
      node:30053/udp    | a:5353* | a:5353*
      node:30053/tcp    | a:5354* | a:5354*
      node:30053/sctp   | pass   | pass`,
  },
  "a port's name and protocol both count": {
    objects: () => [
      service({ ports: [{ name: "dns", port: 53, protocol: "UDP" as const }] }),
      ...slices(["a"], { ports: [{ name: "dns", port: 53, protocol: "TCP" as const }] }),
    ],
    packets: `
                     | pod
      cluster:53/udp | reject`,
  },
  "a named target port may differ from pod to pod": {
    objects: () => [
      service({ ports: [{ name: "http", port: 80 }] }),
      ...slices(["a"], { ports: [{ name: "http", port: 8001 }] }),
      ...slices(["b"], { suffix: "2-", ports: [{ name: "http", port: 8002 }] }),
    ],
    packets: `
                 | pod
      cluster:80 | a:8001 b:8002`,
  },
  "[PROXY-2] UDP like TCP, with both policies": {
    objects: () => [
      service({
        ...everywhere,
        ...local,
        ports: [{ port: 80, protocol: "UDP" as const, nodePort: 30080 }],
      }),
      ...slices(["a", "b"], udp),
    ],
    packets: `
                     | pod  | a    | node  | client
      cluster:80/udp | a b  | a* b | a* b* | a* b*
      cluster:80/tcp | reject | reject | reject | reject
      node:30080/udp | a b  | a* b | a* b* | a
      node:30080/tcp | pass | pass | pass  | pass
      lb:80/udp      | a b  | a* b | a* b* | a
      lb:80/tcp      | pass | pass | pass  | pass`,
  },
  "[PROXY-2] SCTP like TCP, with both policies": {
    objects: () => [
      service({
        ...everywhere,
        ...local,
        ports: [{ port: 80, protocol: "SCTP" as const, nodePort: 30080 }],
      }),
      ...slices(["a", "b"], { ports: [{ port: 8080, protocol: "SCTP" as const }] }),
    ],
    packets: `
                      | pod | a    | node  | client
      cluster:80/sctp | a b | a* b | a* b* | a* b*
      node:30080/sctp | a b | a* b | a* b* | a
      lb:80/sctp      | a b | a* b | a* b* | a
      external:80/sctp | a b | a* b | a* b* | a`,
  },
  "masquerading all of it": {
    settings: () => ({ masqueradeAll: true }),
    objects: () => [service(everywhere), ...slices(["a", "b"])],
    packets: `
                 | pod   | a     | node  | client
      cluster:80 | a* b* | a* b* | a* b* | a* b*
      lb:80      | a* b* | a* b* | a* b* | a* b*`,
  },
  "not knowing where pods are": {
    settings: () => ({ podPrefix: undefined }),
    objects: () => [service({ ...everywhere, ...local }), ...slices(["a", "b"])],
    packets: `
                 | pod | a    | node  | client
      cluster:80 | a b | a* b | a b   | a b
      lb:80      | a   | a*   | a* b* | a`,
  },
  "no node port on any address": {
    settings: () => ({ nodePortPrefixes: [] }),
    objects: () => [service(everywhere), ...slices(["a"])],
    packets: `
                 | pod  | client
      node:30080 | pass | pass
      lb:80      | a*   | a*`,
  },
  "[PROXY-2] node ports on every address, but for loopback": {
    settings: (family) => ({ nodePortPrefixes: [everything[family]] }),
    objects: () => [service(everywhere), ...slices(["a"])],
    packets: `
                     | pod  | node | client
      node:30080     | a*   | a*   | a*
      loopback:30080 | pass | pass | pass
      peer:30080     | pass | pass | pass`,
  },
  "[PROXY-2] node ports on loopback, where it is asked for": {
    settings: (family) => ({
      nodePortPrefixes: [everything[family]],
      servesLoopback: family === "IPv4",
    }),
    objects: () => [service(everywhere), ...slices(["a"])],
    packets: {
      IPv4: `
                       | node | client
        node:30080     | a*   | a*
        loopback:30080 | a*   | a*`,
      IPv6: `
                       | node | client
        node:30080     | a*   | a*
        loopback:30080 | pass | pass`,
    },
  },
};
