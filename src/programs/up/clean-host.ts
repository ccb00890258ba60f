import { removeClusterCgroups } from "./cgroups.ts";
import { revokeHostAccess } from "./host-access.ts";
import type { ClusterMachine } from "./machine.ts";

/** Removes what a cluster run by root has put outside of its namespaces. */
export async function cleanHost(
  { isRoot, commands }: Pick<ClusterMachine, "isRoot" | "commands">,
  name: string,
): Promise<void> {
  if (!isRoot) return;
  await revokeHostAccess(name, commands);
  await removeClusterCgroups(name);
}
