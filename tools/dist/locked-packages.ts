// The npm packages that a package consists of, as package-lock.json pins them, and the bill of materials.

import { readFileSync } from "node:fs";
import type { DebianPackage } from "./image/debian-packages.ts";

export interface LockedPackage {
  /** The path from the root, such as `node_modules/ws`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The digest of its archive, as `sha512-` and base64. */
  readonly integrity: string;
}

interface LockEntry {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly cpu?: string | readonly string[];
  readonly os?: string | readonly string[];
}

/** Reads the packages that run on this architecture, sorted by path. */
export function productionPackages(root: string): readonly LockedPackage[] {
  return readLock(root).flatMap(([path, entry]) => {
    if (path === "" || entry.dev === true) return [];
    const isForThis = suits(entry.cpu, process.arch) && suits(entry.os, process.platform);
    return isForThis ? [toPackage(path, entry)] : [];
  });
}

/** The runtime that `tools/build` puts into the programs it compiles. */
export function compiledInRuntime(root: string): LockedPackage {
  const [path, entry] = readLock(root).find(([each]) => each === "node_modules/bun") ?? [];
  if (path === undefined || entry === undefined)
    throw new Error("Cannot find bun: it is not in package-lock.json");
  return toPackage(path, entry);
}

/** The bill of materials in CycloneDX's JSON. */
export function formatBillOfMaterials(
  packages: readonly LockedPackage[],
  about: {
    readonly version: string;
    readonly epoch: number;
    /** The Debian packages that are inside as well. */
    readonly debian?: readonly DebianPackage[];
  },
): string {
  const { debian = [] } = about;
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      timestamp: new Date(about.epoch * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": "tandem",
        name: "tandem",
        version: about.version,
        licenses: [{ license: { id: "Apache-2.0" } }],
      },
    },
    components: [
      ...packages.map(({ path, name, version, license, integrity }) => ({
        type: "library",
        "bom-ref": path,
        name,
        version,
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
        licenses: [{ license: { id: license } }],
        hashes: [{ alg: "SHA-512", content: hexOf(integrity) }],
      })),
      ...debian.map(({ name, version, architecture }) => ({
        type: "library",
        "bom-ref": `debian/${name}`,
        name,
        version,
        purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`,
      })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function readLock(root: string): [string, LockEntry][] {
  const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8")) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function toPackage(path: string, { version, license, integrity }: LockEntry): LockedPackage {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  if (license === undefined || integrity === undefined) {
    throw new Error(`Cannot list ${name}: package-lock.json has no license or no digest of it`);
  }
  return { path, name, version, license, integrity };
}

function suits(wanted: string | readonly string[] | undefined, have: string): boolean {
  return wanted === undefined || [wanted].flat().includes(have);
}

function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}
