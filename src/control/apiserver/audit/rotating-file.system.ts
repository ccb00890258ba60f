// A log file that is rotated when it is full; the oldest rotated files are deleted.

import { type FileHandle, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { isThere } from "../../../base/host/is-there.system.ts";
import type { Log } from "../../../base/program/log.ts";

export interface RotatingFileOptions {
  readonly path: string;
  /** The size in bytes at which the file is rotated; 0 means never. */
  readonly maxSize: number;
  /** The number of rotated files that are kept; 0 keeps all. */
  readonly maxBackups: number;
  /** The age in days up to which rotated files are kept; 0 keeps them for ever. */
  readonly maxAge: number;
  readonly log: Log;
  readonly now?: () => Date;
}

/** The most bytes that wait to be written; further lines are lost, and their loss is reported. */
const longestBacklog = 64 * 1024 * 1024;
const dayMs = 86_400_000;

export class RotatingFile implements AsyncDisposable {
  readonly #options: RotatingFileOptions;
  #file: FileHandle | undefined;
  #size = 0;
  #lines: string[] = [];
  #backlog = 0;
  #lost = 0;
  #writing: Promise<void> | undefined;

  constructor(options: RotatingFileOptions) {
    this.#options = options;
  }

  write(line: string): void {
    if (this.#backlog > longestBacklog) {
      if (this.#lost++ === 0)
        this.#options.log.error("Cannot keep up with the audit log: lines are lost");
      return;
    }
    this.#lines.push(line);
    this.#backlog += line.length;
    this.#writing ??= this.#writeAll();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
    await this.#file?.close();
  }

  async #writeAll(): Promise<void> {
    const { log, path } = this.#options;
    try {
      // Lines of one turn are written together.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.#lines.length > 0) await this.#writeSome();
    } catch (error) {
      log.error("Cannot write the audit log", { file: path, error });
      this.#lines = [];
      this.#backlog = 0;
      await this.#file?.close();
      this.#file = undefined;
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeSome(): Promise<void> {
    const { maxSize } = this.#options;
    await this.#open();
    const lines = this.#lines;
    this.#lines = [];
    let part: string[] = [];
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (maxSize > 0 && this.#size > 0 && this.#size + length > maxSize) {
        await this.#file?.write(part.join(""));
        part = [];
        await this.#rotate();
        await this.#open();
      }
      part.push(line);
      this.#size += length;
      this.#backlog -= line.length;
    }
    await this.#file?.write(part.join(""));
  }

  async #open(): Promise<void> {
    if (this.#file !== undefined) return;
    this.#file = await open(this.#options.path, "a", 0o600);
    this.#size = (await this.#file.stat()).size;
  }

  async #rotate(): Promise<void> {
    const { path, now = () => new Date() } = this.#options;
    await this.#file?.close();
    this.#file = undefined;
    const extension = extname(path);
    const stem = basename(path, extension);
    const time = now().toISOString().replaceAll(":", "-").replace("Z", "");
    let aside = join(dirname(path), `${stem}-${time}${extension}`);
    for (let more = 1; await isThere(aside); more++) {
      aside = join(dirname(path), `${stem}-${time}-${more}${extension}`);
    }
    await rename(path, aside);
    await this.#removeOld({ stem, extension });
  }

  async #removeOld({ stem, extension }: { stem: string; extension: string }): Promise<void> {
    const { path, maxBackups, maxAge, now = () => new Date() } = this.#options;
    const directory = dirname(path);
    const pattern = /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}(?:-\d+)?$/;
    const names = (await readdir(directory))
      .filter((name) => name.startsWith(stem) && name.endsWith(extension))
      .filter((name) => pattern.test(name.slice(stem.length, name.length - extension.length)))
      .toSorted()
      .toReversed();
    for (const [index, name] of names.entries()) {
      const full = join(directory, name);
      const isTooMany = maxBackups > 0 && index >= maxBackups;
      const age = now().getTime() - (await stat(full)).mtimeMs;
      if (isTooMany || (maxAge > 0 && age > maxAge * dayMs)) await unlink(full);
    }
  }
}
