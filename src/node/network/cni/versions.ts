import { CniError } from "./error.ts";

/** The known versions, oldest first. Earlier ones had another format of results. */
export const knownVersions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

export type CniVersion = (typeof knownVersions)[number];

export function isKnown(text: unknown): text is CniVersion {
  return knownVersions.some((known) => known === text);
}

export function isAtLeast(version: CniVersion, other: CniVersion): boolean {
  return knownVersions.indexOf(version) >= knownVersions.indexOf(other);
}

/** The supported versions of each plugin, by its name. */
export type Support = ReadonlyMap<string, readonly CniVersion[]>;

/** Returns the newest version that the network allows and all of its plugins support. */
export function negotiate(allowed: readonly CniVersion[], support: Support): CniVersion {
  const common = allowed.filter((version) =>
    [...support.values()].every((versions) => versions.includes(version)),
  );
  const newest = knownVersions.findLast((version) => common.includes(version));
  if (newest !== undefined) return newest;
  const offers = [...support].map(([type, versions]) => `${type} ${versions.join(", ")}`);
  throw new CniError(
    "incompatible-version",
    `Cannot agree on a CNI version: the network allows ${allowed.join(", ")}, its plugins support ${offers.join("; ")}`,
  );
}
