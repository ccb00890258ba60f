import { UsageError } from "../program/errors.ts";
import { namespacePath } from "./build-topology.ts";
import { type FoundCluster, hostsOf } from "./find-cluster.ts";

/** The network namespace of a host, as a path of the inside. */
export function networkOf({ topology }: FoundCluster, place: string): string {
  const hosts = hostsOf(topology);
  const host = hosts.find(({ name }) => name === place);
  if (host !== undefined) return namespacePath(host);
  const known = hosts.map(({ name }) => name).join(", ");
  throw new UsageError(`Cannot enter ${place}: the hosts are ${known}`);
}
