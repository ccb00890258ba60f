// Which users there are where we run: all of them, or those of a user namespace.
import { readFile } from "node:fs/promises";

export interface Identity {
  /** In a user namespace that is not the machine's: some things are done otherwise there. */
  readonly isRootless: boolean;
  hasUser(uid: number): boolean;
  hasGroup(gid: number): boolean;
  readonly canSetGroups: boolean;
}

export async function systemIdentity(): Promise<Identity> {
  const [users, groups, setgroups] = await Promise.all(
    ["uid_map", "gid_map", "setgroups"].map((name) => readFile(`/proc/self/${name}`, "utf8")),
  );
  return identityOf({ users: users ?? "", groups: groups ?? "", setgroups: setgroups ?? "" });
}

/** From the texts of /proc/self/uid_map, gid_map and setgroups. */
export function identityOf(maps: {
  readonly users: string;
  readonly groups: string;
  readonly setgroups: string;
}): Identity {
  const users = rangesOf(maps.users);
  const groups = rangesOf(maps.groups);
  return {
    isRootless: !users.some(
      ({ inside, outside, count }) => inside === outside && count >= everyone,
    ),
    hasUser: (uid) => isIn(users, uid),
    hasGroup: (gid) => isIn(groups, gid),
    canSetGroups: maps.setgroups.trim() === "allow",
  };
}

interface Range {
  readonly inside: number;
  readonly outside: number;
  readonly count: number;
}

/** As many as the machine's own namespace has. */
const everyone = 2 ** 32 - 1;

function rangesOf(map: string): readonly Range[] {
  return map
    .trim()
    .split("\n")
    .map((line) => {
      const [inside = 0, outside = 0, count = 0] = line.trim().split(/\s+/).map(Number);
      return { inside, outside, count };
    });
}

function isIn(ranges: readonly Range[], id: number): boolean {
  return ranges.some(({ inside, count }) => id >= inside && id < inside + count);
}
