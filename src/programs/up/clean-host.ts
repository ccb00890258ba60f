import { removeClusterCgroups } from "./cgroups.ts";
import { revokeHostAccess } from "./host-access.ts";
import type { ClusterMachine } from "./machine.ts";

/** Removes what only root can have put outside of the namespaces of a cluster. */
export async function cleanHost(
  { isRoot, commands }: Pick<ClusterMachine, "isRoot" | "commands">,
  name: string,
): Promise<void> {
  if (!isRoot) return;
  await revokeHostAccess(name, commands);
  await removeClusterCgroups(name);
}
