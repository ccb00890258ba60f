// Maps names to images, with one file for each name, so that concurrent processes do not conflict.
import { createHash } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/program/errors.ts";

export interface Reference {
  /** The full reference: registry, path, and a tag or a digest. */
  readonly reference: string;
  readonly id: string;
  /** The version that the registry had, to detect a newer one; empty when loaded from an archive. */
  readonly version: string;
  readonly bytes: number;
}

export class References {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async get(reference: string): Promise<Reference | undefined> {
    return await readReference(this.#path(reference));
  }

  async set(entry: Reference): Promise<void> {
    const path = this.#path(entry.reference);
    const unfinished = `${path}.${process.pid}`;
    await writeFile(unfinished, JSON.stringify(entry));
    await rename(unfinished, path);
  }

  async delete(reference: string): Promise<void> {
    await rm(this.#path(reference), { force: true });
  }

  async list(): Promise<readonly Reference[]> {
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(".json"));
    const found = names.map((name) => readReference(join(this.#directory, name)));
    return (await Promise.all(found))
      .filter((entry) => entry !== undefined)
      .toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
  }

  /** Returns the file of a name. It is hashed, since names have slashes and colons and may be too long. */
  #path(reference: string): string {
    const name = createHash("sha256").update(reference).digest("hex").slice(0, 32);
    return join(this.#directory, `${name}.json`);
  }
}

async function readReference(path: string): Promise<Reference | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Reference;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
