// The programs that run containers. They may be installed while the agent runs.
import { existsSync } from "node:fs";
import { access, constants } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HostError } from "../../base/host/error.ts";
import { systemCode } from "../../base/program/errors.ts";

/** The programs that must be installed; Debian's packages have the same names. */
const containerPrograms = ["runc", "conmon"] as const;

/** A program that is searched for whenever it is needed, until it is found. */
export class FoundProgram {
  readonly #name: string;
  #path: string | undefined;

  constructor(name: (typeof containerPrograms)[number]) {
    this.#name = name;
  }

  async path(): Promise<string> {
    this.#path ??= await findProgram(this.#name);
    if (this.#path === undefined) throw notInstalled([this.#name]);
    return this.#path;
  }
}

/** Returns the path of a program that `tools/build` compiled: in the folder `build` beside package.json. */
export function builtProgram(name: string): string {
  let folder = import.meta.dirname;
  while (folder !== "/" && !existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return join(folder, "build", name);
}

/** Rejects with the names of missing programs and how to install them. */
export async function checkContainerPrograms(): Promise<void> {
  const found = await Promise.all(containerPrograms.map(findProgram));
  const missing = containerPrograms.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) throw notInstalled(missing);
}

/** Returns PATH with the sbin directories, where the runtime is; an ordinary user's PATH lacks them. */
export function searchPath(): string {
  return `${process.env["PATH"] ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`;
}

function notInstalled(names: readonly string[]): HostError {
  const state = `${names.join(" and ")} ${names.length === 1 ? "is" : "are"} not installed`;
  const remedy = `'apt-get install ${names.join(" ")}' does`;
  return new HostError(`Cannot run containers: ${state}; ${remedy}`, { reason: "not-installed" });
}

async function findProgram(name: string): Promise<string | undefined> {
  for (const directory of searchPath().split(":")) {
    const path = join(directory, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") return false;
    throw error;
  }
}
