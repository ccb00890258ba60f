// The user ids that exist where this process runs: all, or those of a user namespace.

export interface Identity {
  /** Whether this process runs in a user namespace other than the machine's, where some things differ. */
  readonly isRootless: boolean;
  hasUser(uid: number): boolean;
  hasGroup(gid: number): boolean;
  readonly canSetGroups: boolean;
  /** The capabilities that can be given to containers, as a bit mask. */
  readonly capabilities: bigint;
}

/** Parses the texts of these files in /proc/self: uid_map, gid_map, setgroups and status. */
export function identityOf(texts: {
  readonly users: string;
  readonly groups: string;
  readonly setgroups: string;
  readonly status: string;
}): Identity {
  const users = rangesOf(texts.users);
  const groups = rangesOf(texts.groups);
  const [, capabilities = "0"] = /^CapBnd:\s+([0-9a-f]+)$/m.exec(texts.status) ?? [];
  return {
    isRootless: !users.some(
      ({ inside, outside, count }) => inside === outside && count >= everyone,
    ),
    hasUser: (uid) => isIn(users, uid),
    hasGroup: (gid) => isIn(groups, gid),
    canSetGroups: texts.setgroups.trim() === "allow",
    capabilities: BigInt(`0x${capabilities}`),
  };
}

interface Range {
  readonly inside: number;
  readonly outside: number;
  readonly count: number;
}

/** The number of ids in the machine's initial user namespace. */
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
