// Wires `tandem top`: use of addresses, and connections and bytes of services in each family.

import type { Invocation } from "../../base/command-line/command.ts";
import { families } from "../../base/net/family.ts";
import {
  type Flow,
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

export interface TopOptions extends ConnectOptions {
  readonly namespace: string | undefined;
  readonly countBytes: boolean;
}

export interface Top {
  readonly ranges: readonly (Omit<RangeUse, "span" | "size"> & { readonly size: string })[];
  readonly services: readonly ServiceTraffic[];
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
      const notes = [...unread, ...(flows === undefined ? [notHere] : [])];
      isWanted = await show({ ranges, services, notes });
    }
  } finally {
    client.transport.close();
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
