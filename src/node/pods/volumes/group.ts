import { chown } from "node:fs/promises";
import { ConfigurationError } from "../environment/error.ts";

/** Whoever runs pods without being root may have few groups to give to. */
export async function giveToGroup(path: string, group: number | undefined): Promise<void> {
  if (group === undefined) return;
  try {
    await chown(path, -1, group);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EINVAL", "EPERM"].includes(code)) throw error;
    const state = "the agent has no such group to give to";
    throw new ConfigurationError(`use spec.securityContext.fsGroup ${group}`, state);
  }
}
