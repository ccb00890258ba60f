// What a machine is rid of when it loses its role, in the order in which that is done.

import { configPath, machinePlaces } from "./places.ts";

export interface ResetFacts {
  /** Units of ours that are enabled, or run. */
  readonly units: readonly string[];
  /** The URL by which other members of etcd know this machine's; `undefined` if it has none. */
  readonly member: string | undefined;
  /** The number of processes of the agent, of pods and of their monitors. */
  readonly processes: number;
  /** Attachments, links, routes and rules of the node's network. */
  readonly network: readonly string[];
  /** Tables of nftables by name, as `inet tandem_vip`. */
  readonly tables: readonly string[];
  /** Mount points in the agent's directories. */
  readonly mounts: readonly string[];
  /** Cgroups of pods. */
  readonly cgroups: readonly string[];
  /** The kernel's settings that were others before, with the values they had. */
  readonly settings: Readonly<Record<string, string>>;
  /** Files and directories of ours that exist. */
  readonly paths: readonly string[];
}

export type Removal =
  | { readonly kind: "unit" | "mount" | "cgroup" | "path" | "table"; readonly name: string }
  | { readonly kind: "member"; readonly peerUrl: string }
  | { readonly kind: "processes"; readonly count: number }
  | { readonly kind: "network"; readonly traces: readonly string[] }
  | { readonly kind: "setting"; readonly name: string; readonly value: string };

/** Files and directories that belong to Tandem alone. */
export const ownPaths: readonly string[] = [
  ...["etcd", "server", "agent", "vip"].map(configPath),
  `${machinePlaces.configuration}/cluster.json`,
  machinePlaces.before,
  machinePlaces.server,
  machinePlaces.agent,
  machinePlaces.agentRun,
  "/run/tandem-ipam",
  "/run/tandem-ipam-daemon",
  machinePlaces.cache,
];

/** Directories of ours in which things may be mounted. */
export const mountedBelow: readonly string[] = [machinePlaces.agent, machinePlaces.agentRun];

const etcdUnit = "tandem-etcd.service";

export function planReset(facts: ResetFacts): readonly Removal[] {
  const { units, member, processes, network, tables, mounts, cgroups, settings, paths } = facts;
  const named = (kind: "unit" | "mount" | "cgroup" | "path" | "table", names: readonly string[]) =>
    names.map((name) => ({ kind, name }));
  return [
    ...named(
      "unit",
      units.filter((unit) => unit !== etcdUnit),
    ),
    // Nobody uses the member any more, and it still knows the others.
    ...(member === undefined ? [] : [{ kind: "member", peerUrl: member } as const]),
    ...named(
      "unit",
      units.filter((unit) => unit === etcdUnit),
    ),
    ...(processes > 0 ? [{ kind: "processes", count: processes } as const] : []),
    ...(network.length > 0 ? [{ kind: "network", traces: network } as const] : []),
    ...named("table", tables),
    // What is mounted inside of another mount goes first.
    ...named(
      "mount",
      mounts.toSorted((one, other) => other.length - one.length),
    ),
    ...named("cgroup", cgroups),
    ...Object.entries(settings).map(([name, value]) => ({ kind: "setting", name, value }) as const),
    ...named("path", paths),
  ];
}

/** A removal in one line. */
export function describeRemoval(removal: Removal): string {
  switch (removal.kind) {
    case "unit":
      return `stop and disable ${removal.name}`;
    case "member":
      return `leave the etcd of the other servers as ${removal.peerUrl}`;
    case "processes":
      return `end ${removal.count} processes of the agent and its pods`;
    case "network":
      return `remove from the kernel: ${removal.traces.join(", ")}`;
    case "setting":
      return `set ${removal.name} to ${removal.value} again`;
    default:
      return `remove ${removal.kind === "path" ? "" : `${removal.kind} `}${removal.name}`;
  }
}
