// Wires `tandem top`: use of addresses, who announces which, and connections and bytes of services in each family.

import type { Client } from "../../api/client/client.ts";
import { isForbidden } from "../../api/client/errors.ts";
import type { Lease } from "../../api/types/coordination.ts";
import type { Invocation } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { families } from "../../base/net/family.ts";
import {
  announcerSelection,
  type Flow,
  type Placement,
  type RangeUse,
  rangesOf,
  readCluster,
  readFlows,
  type ServiceTraffic,
  trafficOf,
} from "../../inspect/dashboard/dashboard.ts";
import { type ConnectOptions, openConnection } from "../connect/connect.ts";
import { meantCluster } from "../trace/trace.ts";
import { clusterMachine, enter, findCluster, namespacePath } from "../up/up.ts";
import { placingBy } from "./placing.ts";

export interface TopOptions extends ConnectOptions {
  readonly namespace: string | undefined;
  readonly countBytes: boolean;
}

export interface Top {
  readonly ranges: readonly (Omit<RangeUse, "span" | "size"> & { readonly size: string })[];
  readonly services: readonly ServiceTraffic[];
  /** Which node has which address of load balancers and VIPs. */
  readonly announced: readonly Placement[];
  /** What is not in it, and why. */
  readonly notes: readonly string[];
}

type Around = Pick<Invocation, "env" | "signal">;

/** Calls `show` with what is there now, again and again while it returns true. */
export async function runTop(
  options: TopOptions,
  around: Around,
  show: (top: Top) => Promise<boolean>,
): Promise<void> {
  const { namespace } = options;
  const { client } = await openConnection(options, { component: "tandem-top", env: around.env });
  try {
    const nodes = await nodeTables(options, around);
    const placing = placingBy(systemClock);
    for (let isWanted = true; isWanted; ) {
      const cluster = await readCluster(client, { namespace, signal: around.signal });
      const flows = await nodes?.read();
      const unread = [...cluster.unread].map(
        (kind) => `${kind} are missing: you may not read them`,
      );
      const ranges = rangesOf(cluster).map(({ kind, owner, family, text, used, size }) => ({
        kind,
        owner,
        family,
        text,
        used,
        // Sizes of IPv6 are beyond what numbers hold.
        size: size.toString(),
      }));
      const services = trafficOf(cluster, flows);
      const leases = await announcerLeases(client, around.signal);
      const announced = placing({ ...cluster, leases: leases ?? [] }).placements;
      const notes = [
        ...unread,
        ...(leases === undefined
          ? ["leases of announcers are missing: you may not read them"]
          : []),
        ...(flows === undefined ? [notHere] : []),
      ];
      isWanted = await show({ ranges, services, announced, notes });
    }
  } finally {
    client.transport.close();
  }
}

/** The leases of announcers; undefined if the user may not read them. */
async function announcerLeases(
  client: Client,
  signal: AbortSignal,
): Promise<readonly Lease[] | undefined> {
  try {
    const leases = client.resource("coordination.k8s.io/v1", "Lease");
    return (await leases.listAll({ ...announcerSelection, signal })).items;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

const notHere =
  "connections are missing: they are in the kernels of nodes, which can be read for clusters of 'tandem up' on this machine";

interface NodeTables {
  read(): Promise<readonly Flow[]>;
}

/** The connection tables of a cluster on this machine, if that is the one. */
async function nodeTables(
  options: TopOptions,
  { env, signal }: Around,
): Promise<NodeTables | undefined> {
  const meant = await meantCluster(options, env);
  if (meant === undefined) return undefined;
  const machine = await clusterMachine(env);
  const cluster = await findCluster(machine, meant.name);
  const places = cluster.topology.nodes.map((host) => enter(cluster, machine, namespacePath(host)));
  if (options.countBytes) {
    const setting = ["sysctl", "-q", "-w", "net.netfilter.nf_conntrack_acct=1"];
    await Promise.all(places.map((way) => machine.commands.run([...way, ...setting], { signal })));
  }
  return {
    read: async () => {
      const tables = await Promise.all(
        places.flatMap((way) =>
          families.map(async (family) => {
            const list = ["conntrack", "-L", "-f", family.toLowerCase()];
            const { stdout } = await machine.commands.run([...way, ...list], { signal });
            return readFlows(stdout);
          }),
        ),
      );
      return tables.flat();
    },
  };
}
