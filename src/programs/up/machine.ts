// The machine and the user, for the commands that deal with clusters of `tandem up`.

import { access, constants } from "node:fs/promises";
import { userInfo } from "node:os";
import { systemCommands } from "../../base/host/command.system.ts";
import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import type { Files } from "../../base/host/files.ts";
import { systemLocks } from "../../base/host/lock.system.ts";
import { systemCode } from "../../base/program/errors.ts";
import type { EnclosureOptions } from "./enclosure.ts";
import { defaultDataDirectory, recordDirectory } from "./places.ts";
import { ClusterRecords } from "./record.ts";

export interface ClusterMachine {
  readonly isRoot: boolean;
  readonly users: EnclosureOptions["users"];
  readonly files: Files;
  readonly commands: Commands;
  readonly records: ClusterRecords;
  dataDirectory(name: string): string;
}

export async function clusterMachine(env: NodeJS.ProcessEnv): Promise<ClusterMachine> {
  const user = process.geteuid?.() ?? 0;
  const commands = systemCommands(env);
  const files = systemFiles;
  const records = new ClusterRecords(recordDirectory({ user, env }), {
    files,
    locks: systemLocks(commands),
  });
  return {
    isRoot: user === 0,
    users: user === 0 ? "same" : await mappedUsers(files),
    files,
    commands,
    records,
    dataDirectory: (name) => defaultDataDirectory({ name, user, env }),
  };
}

/** Returns the words in front of a command that run it as the user who may change the files of containers. */
export function asOwner({ users }: Pick<ClusterMachine, "users">): readonly string[] {
  return {
    same: [],
    one: ["unshare", "--map-root-user"],
    range: ["unshare", "--map-root-user", "--map-auto"],
  }[users];
}

/**
 * Returns "range" if more than one user can be mapped, which needs a range of subordinate ids and the set-uid
 * programs that map it.
 */
async function mappedUsers(files: Files): Promise<"one" | "range"> {
  const { username, uid } = userInfo();
  for (const path of ["/etc/subuid", "/etc/subgid"]) {
    const lines = ((await files.read(path)) ?? "").split("\n").map((line) => line.split(":"));
    if (!lines.some(([owner]) => owner === username || owner === String(uid))) return "one";
  }
  const programs = ["/usr/bin/newuidmap", "/usr/bin/newgidmap"];
  const found = await Promise.all(programs.map(isExecutable));
  return found.every(Boolean) ? "range" : "one";
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    if (["ENOENT", "EACCES"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}
