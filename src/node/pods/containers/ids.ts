import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Pod } from "../../../api/types/core.ts";

/** The same whenever it is asked for, so that a start that was cut short can be found again. */
export function containerId(sandbox: string, name: string, attempt: number): string {
  return createHash("sha256").update(`${sandbox}/${name}/${attempt}`).digest("hex").slice(0, 32);
}

/** Where those who collect logs look for them. */
export function logDirectory(logs: string, { metadata }: Pod): string {
  const { namespace, name, uid } = metadata;
  return join(logs, `${namespace}_${name}_${uid}`);
}
