import { HostError } from "../error.ts";
import { namespaceName } from "../netns-name.ts";

/** The beginning of the names of all namespaces of a cluster. */
export function clusterPrefix(cluster: string): string {
  return `${namespaceName(cluster)}_`;
}

/** Checks that a name is a file name, which `ip netns` takes and a directory listing shows. */
export function checkNamespaceName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(name)) return;
  const state = "letters, digits, dots, underscores and hyphens make a name";
  const message = `Cannot name a network namespace ${JSON.stringify(name)}: ${state}`;
  throw new HostError(message, { reason: "invalid" });
}
