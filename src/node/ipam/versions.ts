import { IpamError } from "./errors.ts";

export const supportedVersions = ["0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"] as const;

export type CniVersion = (typeof supportedVersions)[number];

/** For what is printed before the version of the configuration is known. */
export const newestVersion: CniVersion = "1.1.0";

export function parseVersion(text: unknown): CniVersion {
  const version = supportedVersions.find((known) => known === text);
  if (version === undefined) {
    const state = text === undefined ? "it is missing" : `${JSON.stringify(text)} is not known`;
    throw new IpamError(
      "incompatibleVersion",
      `Cannot use cniVersion: ${state}, supported are ${supportedVersions.join(", ")}`,
    );
  }
  return version;
}

export function isAtLeast(version: CniVersion, other: CniVersion): boolean {
  return supportedVersions.indexOf(version) >= supportedVersions.indexOf(other);
}
