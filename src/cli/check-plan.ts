// Who is to reach whom, and by which way: everything a check asks, before it asks.

import { echoPort, servicePort } from "./check-objects.ts";
import type { Stage, Stand } from "./check-stage.ts";
import {
  besideIn,
  clusterIp,
  externalIp,
  hostPortOf,
  ingress,
  loadBalancer,
  nameOf,
  nodeOf,
  nodePortOf,
  outside,
  type Protocol,
  podOn,
  protocols,
  type Reach,
} from "./check-targets.ts";

export type Sender =
  | {
      readonly kind: "pod" | "node";
      readonly node: string;
      readonly pod: string;
      readonly container: string;
    }
  /** The machine that the check is run on. */
  | { readonly kind: "here" };

/** One line of the grid. */
export interface Way {
  readonly kind: WayKind;
  readonly from: Sender;
  /** As people say it. */
  readonly to: string;
  readonly reach: Reach;
  /** Both when not given. */
  readonly protocols?: readonly Protocol[];
  /** Somebody asked for it: it has to be there. */
  readonly isDemanded?: boolean;
  /** Why there is no target, where that is known. */
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

/** Every node asks itself and the next one: each asks and is asked, however many there are. */
export function planWays(stage: Stage): readonly Way[] {
  const { stands, isFromHere } = stage;
  const ways = stands.flatMap((stand, index) => {
    const next = stands[(index + 1) % stands.length] ?? stand;
    const neighbours = next === stand ? [stand] : [stand, next];
    return [
      ...podWays(stage, { stand, neighbours }),
      ...serviceWays(stage, stand),
      ...doorWays(stage, { from: clientOf(stand), neighbours }),
      ...stage.outside.map(
        (each): Way => ({
          kind: "outside",
          from: clientOf(stand),
          to: `${each.host} outside`,
          reach: outside(stage, each),
          protocols: each.protocol === undefined ? protocols : [each.protocol],
        }),
      ),
      ...nodeWays(stage, { stand, neighbours }),
    ];
  });
  return isFromHere
    ? [...ways, ...doorWays(stage, { from: { kind: "here" }, neighbours: stands })]
    : ways;
}

interface Around {
  readonly stand: Stand;
  /** It is one of them. */
  readonly neighbours: readonly Stand[];
}

function podWays(stage: Stage, { stand, neighbours }: Around): readonly Way[] {
  const from = clientOf(stand);
  const beside = { ...from, container: "beside" };
  return [
    { kind: "localhost", from: beside, to: "container beside it", reach: besideIn(stand) },
    ...neighbours.map(
      (other): Way => ({
        kind: "pod",
        from,
        to: `pod on ${other.node.metadata.name}`,
        reach: podOn(other, stand.client),
      }),
    ),
    ...neighbours.map(
      (other): Way => ({
        kind: "node",
        from,
        to: other.node.metadata.name,
        reach: nodeOf(other, stage),
      }),
    ),
  ];
}

function nodeWays(stage: Stage, { stand, neighbours }: Around): readonly Way[] {
  const from: Sender = { ...clientOf(stand), kind: "node", pod: stand.host.metadata.name };
  return [
    ...neighbours.map(
      (other): Way => ({
        kind: "pod",
        from,
        to: `pod on ${other.node.metadata.name}`,
        reach: podOn(other),
      }),
    ),
    { kind: "cluster-ip", from, to: "service", reach: clusterIp(stage) },
  ];
}

function serviceWays(stage: Stage, stand: Stand): readonly Way[] {
  const { named, headless, external } = stage.services;
  const from = clientOf(stand);
  return [
    { kind: "cluster-ip", from, to: "service", reach: clusterIp(stage, stand.client) },
    {
      kind: "name",
      from,
      to: "service by name",
      reach: nameOf(stage, { services: named, port: servicePort }),
    },
    {
      kind: "headless",
      from,
      to: "pods by name",
      reach: nameOf(stage, { services: headless, port: echoPort }),
    },
    {
      kind: "external-ip",
      from,
      to: "external IP",
      reach: externalIp(stage),
      ...("refusal" in external ? { absence: external.refusal } : {}),
    },
  ];
}

/** The ways by which a cluster is entered. */
function doorWays(
  stage: Stage,
  { from, neighbours }: { readonly from: Sender; readonly neighbours: readonly Stand[] },
): readonly Way[] {
  const { balanced } = stage.services;
  const demanded: readonly (Way | undefined)[] = [
    balanced && {
      kind: "load-balancer",
      from,
      to: "load balancer",
      reach: loadBalancer(stage, balanced),
      isDemanded: true,
    },
    stage.ingress && {
      kind: "ingress",
      from,
      to: "ingress",
      reach: ingress(stage, stage.ingress),
      protocols: ["http"],
      isDemanded: true,
    },
  ];
  return [
    ...neighbours.map(
      (other): Way => ({
        kind: "node-port",
        from,
        to: `node port of ${other.node.metadata.name}`,
        reach: nodePortOf(stage, other),
      }),
    ),
    ...neighbours.map(
      (other): Way => ({
        kind: "host-port",
        from,
        to: `host port of ${other.node.metadata.name}`,
        reach: hostPortOf(stage, other),
      }),
    ),
    ...demanded.filter((way) => way !== undefined),
  ];
}

function clientOf({ node, client }: Stand) {
  const place = { node: node.metadata.name, pod: client.metadata.name };
  return { kind: "pod", ...place, container: "echo" } as const;
}
