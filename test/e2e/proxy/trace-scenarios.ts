// Ways for a packet to fare well or badly.

import type { Family } from "../../../src/base/net/family.ts";
import type { Verdict } from "../../../src/inspect/trace/verdict.ts";
import type { FamilySettings } from "../../../src/node/proxy/plan/frontend.ts";
import {
  frontendsOf,
  openState,
  type Party,
  put,
  service,
  settingsOf,
  slices,
} from "../../../src/node/proxy/plan/testing/scenario.ts";
import type { Proxier } from "../../../src/node/proxy/proxier.ts";

export interface TraceScenario {
  readonly name: string;
  readonly from: Party;
  /** `party:port/protocol`. */
  readonly to: string;
  readonly expected: Verdict["kind"] | Readonly<Record<Family, Verdict["kind"]>>;
  /** What stands in the text for people. */
  readonly says?: readonly string[];
  /** Where the rules and routes below are; the node if not given. */
  readonly at?: Party;
  /** A script that makes the table `<ip> foreign`. */
  readonly rules?: string;
  readonly routes?: readonly string[];
  /** Commands of legacy iptables that append a rule. */
  readonly legacy?: readonly string[];
  /** What a real connection says, where it differs. */
  readonly agreed?: RegExp;
}

/** Services of one family, in the kernel of the lab's node. */
export async function programServices(
  family: Family,
  open: (settings: FamilySettings) => Proxier,
): Promise<Proxier> {
  const state = openState();
  put(state, [
    service({
      type: "NodePort",
      ports: [
        { name: "t", port: 80, nodePort: 30080 },
        { name: "u", port: 80, protocol: "UDP", nodePort: 30080 },
        { name: "s", port: 80, protocol: "SCTP" },
      ],
      external: ["external"],
    }),
    ...slices(["b"], {
      ports: [
        { name: "t", port: 8080, protocol: "TCP" },
        { name: "u", port: 8080, protocol: "UDP" },
        { name: "s", port: 8080, protocol: "SCTP" },
      ],
    }),
    service({
      name: "empty",
      cluster: ["other"],
      ports: [{ port: 80 }, { name: "u", port: 80, protocol: "UDP" }],
    }),
    service({
      name: "guarded",
      cluster: ["unused"],
      lb: ["lb"],
      loadBalancerSourceRanges: ["192.0.2.0/24", "2001:db8:ffff::/64"],
    }),
    ...slices(["d"], { of: "guarded" }),
  ]);
  state.takeChange();
  const proxier = open(settingsOf(family));
  await proxier.replace(frontendsOf(state, family));
  return proxier;
}

const foreign = (hook: string, rule: string, policy = "accept"): string =>
  `table <ip> foreign {
    chain check { type filter hook ${hook} priority filter ; policy ${policy} ;
      ${rule}
    }
  }`;

export const traceScenarios: readonly TraceScenario[] = [
  {
    name: "a pod to a pod",
    from: "pod",
    to: "a:8080",
    expected: "delivered",
    says: ["takes it in"],
  },
  {
    name: "a pod to a service",
    from: "pod",
    to: "cluster:80",
    expected: "delivered",
    says: ["vmap @services", "the service shop/web:t", "in b"],
  },
  {
    name: "a client to a service",
    from: "client",
    to: "cluster:80",
    expected: "delivered",
    says: ["source "],
  },
  { name: "datagrams to a service", from: "pod", to: "cluster:80/udp", expected: "delivered" },
  { name: "SCTP to a service", from: "pod", to: "cluster:80/sctp", expected: "delivered" },
  {
    name: "a client to a node port",
    from: "client",
    to: "node:30080",
    expected: "delivered",
    says: ["the service shop/web:t"],
  },
  { name: "datagrams to a node port", from: "client", to: "node:30080/udp", expected: "delivered" },
  { name: "the node to a service", from: "node", to: "cluster:80", expected: "delivered" },
  { name: "the node to its node port", from: "node", to: "node:30080", expected: "delivered" },
  {
    name: "a pod to itself by a service",
    from: "d",
    to: "unused:80",
    expected: "delivered",
    says: ["@hairpin"],
  },
  {
    name: "a pod to itself, by a service that another node should serve",
    from: "b",
    to: "cluster:80",
    // The kernel lets in IPv6 packets that claim to come from itself, and answers itself.
    expected: { IPv4: "dropped", IPv6: "unanswered" },
  },
  { name: "a client to an external IP", from: "client", to: "external:80", expected: "delivered" },
  {
    name: "no endpoints",
    from: "pod",
    to: "other:80",
    expected: "rejected",
    says: ["reject with tcp reset"],
  },
  {
    name: "no endpoints, datagrams",
    from: "pod",
    to: "other:80/udp",
    expected: "rejected",
    says: ["chain refuse"],
  },
  {
    name: "no such port of a service",
    from: "pod",
    to: "cluster:81",
    expected: "rejected",
    says: ["@cluster-ips"],
  },
  {
    name: "no endpoints, from the node",
    from: "node",
    to: "other:80",
    expected: "rejected",
    agreed: /^(ECONNREFUSED|EPERM)$/,
  },
  {
    name: "a source that is not let in",
    from: "client",
    to: "lb:80",
    expected: "dropped",
    says: ["check-source"],
  },
  {
    name: "nobody listens",
    from: "pod",
    to: "a:9",
    expected: "no-listener",
    says: ["nobody listens"],
  },
  { name: "nobody listens, datagrams", from: "pod", to: "a:9/udp", expected: "no-listener" },
  { name: "nobody listens at home", from: "pod", to: "pod:9", expected: "no-listener" },
  {
    name: "somebody else's rule drops",
    from: "pod",
    to: "a:8080",
    rules: foreign("forward", "tcp dport 8080 drop"),
    expected: "dropped",
    says: ['the rule "tcp dport 8080 drop" of table <ip> foreign, chain check'],
  },
  {
    name: "somebody else's rule rejects what a service has translated",
    from: "pod",
    to: "cluster:80",
    rules: foreign("forward", "<ip> daddr <b> tcp dport 8080 reject with tcp reset"),
    expected: "rejected",
    says: ["<b>", "table <ip> foreign"],
  },
  {
    name: "somebody else's rule rejects by ICMP",
    from: "pod",
    to: "a:8080/udp",
    rules: foreign("forward", "udp dport 8080 reject"),
    expected: "rejected",
  },
  {
    name: "somebody else's rule drops datagrams",
    from: "pod",
    to: "cluster:80/udp",
    rules: foreign("forward", "udp dport 8080 drop"),
    expected: "dropped",
  },
  {
    name: "the policy of somebody else's chain drops",
    from: "pod",
    to: "a:8080",
    rules: foreign("forward", "udp dport 1 accept", "drop"),
    expected: "dropped",
    says: ['the policy "drop" of table <ip> foreign'],
  },
  {
    name: "the sender's own rule drops",
    at: "pod",
    from: "pod",
    to: "a:8080",
    rules: foreign("output", "tcp dport 8080 drop"),
    expected: "dropped",
    says: ["dropped in pod"],
  },
  {
    name: "the sender's own rule drops datagrams",
    at: "pod",
    from: "pod",
    to: "a:8080/udp",
    rules: foreign("output", "udp dport 8080 drop"),
    expected: "dropped",
    says: ["dropped in pod"],
  },
  {
    name: "the receiver's own rule drops",
    at: "a",
    from: "pod",
    to: "a:8080",
    rules: foreign("input", "tcp dport 8080 drop"),
    expected: "dropped",
    says: ["dropped in a"],
  },
  {
    name: "the receiver's own rule rejects",
    at: "a",
    from: "pod",
    to: "a:8080",
    rules: foreign("input", "tcp dport 8080 reject with tcp reset"),
    expected: "rejected",
    says: ["rejected in a"],
  },
  {
    name: "the answer is dropped",
    from: "pod",
    to: "a:8080",
    rules: foreign("forward", "tcp sport 8080 drop"),
    expected: "dropped",
    says: ["the answer was dropped in node"],
  },
  {
    name: "a rule before connections are known drops",
    from: "pod",
    to: "cluster:80",
    rules: foreign("prerouting", "<ip> daddr <cluster> drop").replace(
      "priority filter",
      "priority raw",
    ),
    expected: "dropped",
    says: ["table <ip> foreign"],
  },
  {
    name: "somebody else translates",
    from: "pod",
    to: "lb2:80",
    rules: foreign("prerouting", "<ip> daddr <lb2> tcp dport 80 dnat to <d:8080>")
      .replace("type filter", "type nat")
      .replace("priority filter", "priority dstnat - 10"),
    expected: "delivered",
    says: ["<ip> foreign check", "<d>"],
  },
  {
    name: "a route is a blackhole",
    from: "pod",
    to: "lb2:80",
    routes: ["route add blackhole <lb2>"],
    expected: "dropped",
    says: ["blackhole"],
  },
  {
    name: "a route is prohibited",
    from: "pod",
    to: "lb2:80/udp",
    routes: ["route add prohibit <lb2>"],
    expected: "no-route",
    says: ["prohibited"],
  },
  {
    name: "the sender has no route",
    at: "pod",
    from: "pod",
    to: "lb2:80",
    routes: ["route add unreachable <lb2>"],
    expected: "no-route",
    says: ["no-route in pod"],
  },
  {
    name: "nobody is at the address",
    from: "pod",
    to: "lb2:80",
    routes: ["route add <lb2> dev v-d"],
    expected: "no-neighbour",
    says: ["nobody at v-d answers"],
  },
  {
    name: "legacy iptables drops",
    from: "pod",
    to: "a:8080",
    legacy: ["<iptables>-legacy -t filter -A FORWARD -p tcp --dport 8080 -j DROP"],
    expected: "dropped",
    says: ["legacy iptables", "leave no trace"],
  },
];
