// Lists the rules that apply to a pod, policy by policy, in the order of their evaluation.

import { inOrder } from "../plan/compile.ts";
import {
  type Direction,
  defaultNetwork,
  directions,
  type Peer,
  type PodFacts,
  type PortMatch,
  type Rule,
} from "../plan/model.ts";
import type { PolicyState } from "../plan/policy-state.ts";

export interface ShownRule {
  readonly direction: Direction;
  readonly network: string;
  readonly tier: string;
  readonly policy: string;
  readonly rule: string;
  readonly action: string;
  readonly peers: string;
  readonly ports: string;
}

/** Returns the rules, and one last line for each direction with the default action. */
export function showPod(state: PolicyState, pod: PodFacts): readonly ShownRule[] {
  const networks = [...new Set(pod.addresses.map(({ network }) => network))];
  return networks.flatMap((network) =>
    directions.flatMap((direction) => {
      const about = state.policiesOf(pod, network, direction);
      const common = { direction, network: network === defaultNetwork ? "default" : network };
      const rows = ["admin", "namespace", "baseline"].flatMap((tier) =>
        inOrder(about.filter(({ policy }) => policy.tier === tier)).flatMap(({ policy }) =>
          (policy.rules[direction] ?? []).map((rule) => ({
            ...common,
            tier,
            policy: policy.name,
            rule: rule.title.replace(`${direction} rule `, ""),
            action: rule.action,
            peers: peersText(rule),
            ports: portsText(rule.ports),
          })),
        ),
      );
      const isolating = about.filter(({ policy }) => policy.tier === "namespace");
      const otherwise = isolating.length > 0 ? "deny" : "accept";
      const names = isolating.map(({ policy }) => policy.name).join(",");
      const rest = { policy: names, rule: "otherwise", action: otherwise, peers: "", ports: "" };
      return [...rows, { ...common, tier: "", ...rest }];
    }),
  );
}

function peersText({ peers }: Rule): string {
  if (peers === undefined) return "everybody";
  return peers.length === 0 ? "nobody" : peers.map(peerText).join(" or ");
}

function peerText(peer: Peer): string {
  if (peer.kind === "nodes") return `nodes (${peer.nodes.text || "all"})`;
  if (peer.kind === "block") {
    const { block, except } = peer;
    return except.length === 0 ? `${block}` : `${block} except ${except.join(", ")}`;
  }
  const { namespace, namespaces, pods } = peer.selection;
  const who = pods.text === "" ? "all pods" : `pods (${pods.text})`;
  if (namespace !== undefined) return `${who} in ${namespace}`;
  return namespaces?.text === "" ? `${who} anywhere` : `${who} in namespaces (${namespaces?.text})`;
}

function portsText(ports: readonly PortMatch[] | undefined): string {
  if (ports === undefined) return "everything";
  return ports.map(portText).join(",");
}

function portText(port: PortMatch): string {
  if ("name" in port)
    return `${port.name}${port.protocol === undefined ? "" : `/${port.protocol}`}`;
  const { protocol, from, to } = port;
  if (from === 0 && to === 65_535) return protocol;
  return from === to ? `${from}/${protocol}` : `${from}-${to}/${protocol}`;
}
