import { IpamError } from "./errors.ts";

/** The CNI versions that the plugin speaks, oldest first. */
export const supportedVersions = [
  "0.1.0",
  "0.2.0",
  "0.3.0",
  "0.3.1",
  "0.4.0",
  "1.0.0",
  "1.1.0",
] as const;

export type CniVersion = (typeof supportedVersions)[number];

/**
 * The newest CNI version; used in answers that are printed before the version of the configuration is
 * known.
 */
export const newestVersion: CniVersion = "1.1.0";

/** The CNI version of a configuration without one: it was written before versions existed. */
const oldestVersion: CniVersion = "0.1.0";

export function parseVersion(text: unknown): CniVersion {
  if (text === undefined || text === "") return oldestVersion;
  const version = supportedVersions.find((known) => known === text);
  if (version === undefined) {
    throw new IpamError(
      "incompatibleVersion",
      `Cannot use cniVersion ${JSON.stringify(text)}: supported are ${supportedVersions.join(", ")}`,
    );
  }
  return version;
}

export function isAtLeast(version: CniVersion, other: CniVersion): boolean {
  return supportedVersions.indexOf(version) >= supportedVersions.indexOf(other);
}
