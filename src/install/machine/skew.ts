// Which versions work together: a node has its servers' minor version or the one before it.

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** How many minor versions a node may be behind the API servers. */
export const supportedSkew = 1;

/** Reads our version: alone, or in what an API server tells of itself, such as `v1.36.0+tandem-0.1.0`. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] =
    /(?:^v?|\+tandem[-.])(\d+)\.(\d+)\.(\d+)(?:[-~][0-9A-Za-z.]+)?$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Returns why a node of one version must not join servers of another; `undefined` if it may. */
export function nodeSkewProblem(server: string, node: string): string | undefined {
  const [served, own] = [parseVersion(server), parseVersion(node)];
  if (served === undefined) return `the server's version "${server}" is none of Tandem's`;
  if (own === undefined) return `"${node}" is no version of Tandem`;
  if (own.major !== served.major) return `the server has version ${textOf(served)}`;
  const behind = served.minor - own.minor;
  if (behind < 0) {
    return `the server has version ${textOf(served)}, and nodes are never newer: upgrade servers first`;
  }
  if (behind > supportedSkew) {
    return `the server has version ${textOf(served)}, and nodes are at most ${supportedSkew} minor version behind`;
  }
  return undefined;
}

/**
 * Returns why a server must not get a version: a node would be too far behind it; `undefined` if it may. Nodes of
 * others are not counted.
 */
export function leftBehind(
  next: string,
  nodes: readonly { readonly name: string; readonly version: string }[],
): string | undefined {
  const server = parseVersion(next);
  for (const { name, version } of nodes) {
    const own = version.includes("+tandem") ? parseVersion(version) : undefined;
    if (server === undefined || own === undefined) continue;
    const isFar = own.major !== server.major || server.minor - own.minor > supportedSkew;
    if (isFar) {
      return `the node ${name} has ${textOf(own)}, and nodes are at most ${supportedSkew} minor version behind: upgrade it first`;
    }
  }
  return undefined;
}

/** Returns why a machine must not go from one version to another; `undefined` if it may. */
export function upgradeProblem(from: string, to: string): string | undefined {
  const [present, next] = [parseVersion(from), parseVersion(to)];
  if (present === undefined || next === undefined) return `"${to}" is no version of Tandem`;
  if (compare(next, present) < 0) {
    return `${textOf(present)} is newer; a store that a newer server has written is restored from a backup`;
  }
  if (next.major !== present.major || next.minor - present.minor > supportedSkew) {
    return `this machine has ${textOf(present)}; upgrade by one minor version at a time`;
  }
  return undefined;
}

function compare(one: Version, other: Version): number {
  return one.major - other.major || one.minor - other.minor || one.patch - other.patch;
}

function textOf({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}
