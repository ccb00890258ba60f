import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Pod } from "../../../api/types/core.ts";

/**
 * Returns a container id that depends on the arguments only, so that an interrupted start can be found again.
 */
export function containerId(sandbox: string, name: string, attempt: number): string {
  return createHash("sha256").update(`${sandbox}/${name}/${attempt}`).digest("hex").slice(0, 32);
}

/** Returns the directory of a pod's logs, in the layout that log collectors expect. */
export function logDirectory(logs: string, { metadata }: Pod): string {
  const { namespace, name, uid } = metadata;
  return join(logs, `${namespace}_${name}_${uid}`);
}
