import { chown } from "node:fs/promises";
import { systemCode } from "../../../base/program/errors.ts";
import { ConfigurationError } from "../environment/error.ts";

/** Changes the group of a file. An agent that is not root may be allowed few groups. */
export async function giveToGroup(path: string, group: number | undefined): Promise<void> {
  if (group === undefined) return;
  try {
    await chown(path, -1, group);
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (!["EINVAL", "EPERM"].includes(code)) throw error;
    const state = "the agent has no such group to give to";
    throw new ConfigurationError(`use spec.securityContext.fsGroup ${group}`, state);
  }
}
