// The file of a backup: compressed lines of JSON. The first one is the head, then come files and entries, and the
// last one counts and digests all others, so that a file that is cut off or altered is noticed.

import { createHash, type Hash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { systemCode } from "../../../base/program/errors.ts";
import { StoreError } from "../errors.ts";
import type { Revision } from "../port.ts";
import type { KeptEntry } from "./contents.ts";

export interface BackupHead {
  readonly format: string;
  /** The version of Tandem that wrote the backup. */
  readonly version: string;
  readonly time: string;
  /** The hash of the public key of the cluster's root, as machines are given it to join. */
  readonly cluster: string;
  readonly revision: Revision;
}

const format = "tandem-backup/1";

/** Name → content of the files of the server's pki directory. */
export type BackupFiles = Readonly<Record<string, string>>;

export interface Backup {
  readonly head: BackupHead;
  readonly files: BackupFiles;
  /** The number of entries. */
  readonly count: number;
}

type Line =
  | { readonly head: BackupHead; readonly files: BackupFiles }
  | { readonly entry: Omit<KeptEntry, "value"> & { readonly value: string } }
  | { readonly end: { readonly count: number; readonly sha256: string } };

/** Writes a backup that only its owner can read; the file appears when it is whole. Returns the count of entries. */
export async function writeBackup(
  path: string,
  content: {
    readonly head: Omit<BackupHead, "format">;
    readonly files: BackupFiles;
    readonly entries: AsyncIterable<KeptEntry>;
  },
): Promise<number> {
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  try {
    let count = 0;
    const hash = createHash("sha256");
    const lines = async function* (): AsyncGenerator<string> {
      yield hashed(hash, { head: { format, ...content.head }, files: content.files });
      for await (const entry of content.entries) {
        count++;
        const value = Buffer.from(entry.value).toString("base64");
        yield hashed(hash, { entry: { ...entry, value } });
      }
      yield textOf({ end: { count, sha256: hash.digest("hex") } });
    };
    const sink = createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true });
    await pipeline(Readable.from(lines()), createGzip(), sink);
    // A link, unlike a rename, replaces no file.
    await link(unfinished, path);
    return count;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Reads a backup to its end. Throws unless all of it is as it was written. */
export async function verifyBackup(path: string): Promise<Backup> {
  let first: Extract<Line, { head: unknown }> | undefined;
  let count = 0;
  let isWhole = false;
  const hash = createHash("sha256");
  for await (const { text, line } of linesOf(path)) {
    if (isWhole) throw damaged(path, "something follows its end");
    if ("end" in line) {
      const isRight = line.end.count === count && line.end.sha256 === hash.digest("hex");
      if (!isRight) throw damaged(path, "its digest is another one");
      isWhole = true;
      continue;
    }
    hash.update(text);
    if ("entry" in line) count++;
    else first ??= line;
  }
  if (!isWhole || first === undefined) throw damaged(path, "it has no end");
  if (first.head.format !== format) {
    throw damaged(path, `its format is ${JSON.stringify(first.head.format)}, not ${format}`);
  }
  return { ...first, count };
}

/** The entries of a backup that was verified. */
export async function* backupEntries(path: string): AsyncGenerator<KeptEntry> {
  for await (const { line } of linesOf(path)) {
    if (!("entry" in line)) continue;
    yield { ...line.entry, value: Buffer.from(line.entry.value, "base64") };
  }
}

async function* linesOf(path: string): AsyncGenerator<{ text: string; line: Line }> {
  const source = createReadStream(path);
  const unpacked = createGunzip();
  source.on("error", (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    let rest = "";
    for await (const chunk of unpacked.setEncoding("utf8") as AsyncIterable<string>) {
      const pieces = (rest + chunk).split("\n");
      rest = pieces.pop() ?? "";
      for (const piece of pieces) yield { text: `${piece}\n`, line: JSON.parse(piece) as Line };
    }
    if (rest !== "") throw new SyntaxError("a line has no end");
  } catch (error) {
    const code = systemCode(error);
    const isAltered = error instanceof SyntaxError || code?.startsWith("Z_") === true;
    throw isAltered ? damaged(path, "it was cut off or altered", error) : error;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

function hashed(hash: Hash, line: Line): string {
  const text = textOf(line);
  hash.update(text);
  return text;
}

function textOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

function damaged(path: string, state: string, cause?: unknown): StoreError {
  return new StoreError(`Cannot use the backup ${path}: ${state}`, { reason: "damaged", cause });
}
