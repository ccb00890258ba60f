// Plans a check: every client, target and way between them, before anything is asked.

import { ingressPath } from "./objects.ts";
import type { Stage, Stand } from "./stage.ts";
import {
  besideIn,
  clusterIpOf,
  externalIpOf,
  frontOf,
  hostPortOf,
  nameOf,
  nodeOf,
  nodePortOf,
  outside,
  type Protocol,
  podNameOf,
  podOn,
  protocols,
  type Reach,
} from "./targets.ts";

export type Sender =
  | {
      readonly kind: "pod" | "node";
      readonly node: string;
      readonly pod: string;
      readonly container: string;
    }
  /** The machine on which the check is run. */
  | { readonly kind: "here" };

/** A way from a sender to a target: one line of the grid. */
export interface Way {
  readonly kind: WayKind;
  readonly from: Sender;
  /** The target, in words for the report. */
  readonly to: string;
  readonly reach: Reach;
  /** The protocols to check; TCP and UDP if not given. */
  readonly protocols?: readonly Protocol[];
  /** Whether the user asked for this way, so that the target has to exist. */
  readonly isDemanded?: boolean;
  /** Why there is no target, if that is known. */
  readonly absence?: string;
}

export type WayKind =
  | "localhost"
  | "pod"
  | "node"
  | "cluster-ip"
  | "name"
  | "headless"
  | "node-port"
  | "host-port"
  | "external-ip"
  | "load-balancer"
  | "ingress"
  | "outside";

/**
 * Returns the ways from every node to itself and to the next one, so that each node sends and receives,
 * however many there are.
 */
export function planWays(stage: Stage): readonly Way[] {
  const { stands, isFromHere } = stage;
  const ways = stands.flatMap((stand, index) => {
    const next = stands[(index + 1) % stands.length] ?? stand;
    const neighbours = next === stand ? [stand] : [stand, next];
    return [
      ...podWays(stage, { stand, neighbours }),
      ...nameWays(clientOf(stand), next),
      ...doorWays(stage, { from: clientOf(stand), neighbours }),
      ...outsideWays(stage, clientOf(stand)),
      ...nodeWays({ stand, neighbours }),
    ];
  });
  return isFromHere
    ? [...ways, ...doorWays(stage, { from: { kind: "here" }, neighbours: stands })]
    : ways;
}

interface Around {
  readonly stand: Stand;
  /** The stands that this one sends to, itself among them. */
  readonly neighbours: readonly Stand[];
}

function podWays(stage: Stage, { stand, neighbours }: Around): readonly Way[] {
  const from = clientOf(stand);
  const { client } = stand;
  const beside = { ...from, container: "beside" };
  return [
    { kind: "localhost", from: beside, to: "container beside it", reach: besideIn(stand) },
    ...neighbours.flatMap((other): Way[] => [
      { kind: "pod", from, to: `pod on ${nameOn(other)}`, reach: podOn(other, client) },
      { kind: "node", from, to: nameOn(other), reach: nodeOf(other, stage) },
      {
        kind: "cluster-ip",
        from,
        to: `service on ${nameOn(other)}`,
        reach: clusterIpOf(other, client),
      },
    ]),
  ];
}

function nameWays(from: Sender, other: Stand): readonly Way[] {
  const { external } = other.services;
  return [
    { kind: "name", from, to: `service on ${nameOn(other)} by name`, reach: nameOf(other) },
    { kind: "headless", from, to: `pod on ${nameOn(other)} by name`, reach: podNameOf(other) },
    {
      kind: "external-ip",
      from,
      to: `external IP on ${nameOn(other)}`,
      reach: externalIpOf(other),
      ...("refusal" in external ? { absence: external.refusal } : {}),
    },
  ];
}

/** Returns the ways by which traffic enters a cluster. */
function doorWays(
  stage: Stage,
  { from, neighbours }: { readonly from: Sender; readonly neighbours: readonly Stand[] },
): readonly Way[] {
  const { loadBalancer, ingress } = stage.fronts;
  const [first] = stage.stands;
  return [
    ...neighbours.flatMap((other): Way[] => [
      { kind: "node-port", from, to: `node port of ${nameOn(other)}`, reach: nodePortOf(other) },
      {
        kind: "host-port",
        from,
        to: `host port of ${nameOn(other)}`,
        reach: hostPortOf(other, stage),
      },
    ]),
    ...(loadBalancer === undefined || first === undefined
      ? []
      : [
          {
            kind: "load-balancer" as const,
            from,
            to: `load balancer on ${nameOn(first)}`,
            reach: frontOf(first, { addresses: loadBalancer }),
            isDemanded: true,
          },
        ]),
    ...(ingress === undefined || first === undefined
      ? []
      : [
          {
            kind: "ingress" as const,
            from,
            to: `ingress on ${nameOn(first)}`,
            reach: frontOf(first, { addresses: ingress, path: ingressPath(stage.namespace) }),
            protocols: ["http"] as const,
            isDemanded: true,
          },
        ]),
  ];
}

function outsideWays(stage: Stage, from: Sender): readonly Way[] {
  return stage.outside.map((each) => ({
    kind: "outside",
    from,
    to: `${each.host} outside`,
    reach: outside(stage, each),
    protocols: each.protocol === undefined ? protocols : [each.protocol],
  }));
}

function nodeWays({ stand, neighbours }: Around): readonly Way[] {
  const from: Sender = { ...clientOf(stand), kind: "node", pod: stand.host.metadata.name };
  return neighbours.flatMap((other): Way[] => [
    { kind: "pod", from, to: `pod on ${nameOn(other)}`, reach: podOn(other) },
    { kind: "cluster-ip", from, to: `service on ${nameOn(other)}`, reach: clusterIpOf(other) },
  ]);
}

function nameOn({ node }: Stand): string {
  return node.metadata.name;
}

function clientOf({ node, client }: Stand) {
  const place = { node: node.metadata.name, pod: client.metadata.name };
  return { kind: "pod", ...place, container: "echo" } as const;
}
