import { resolve } from "node:path";
import type { Files, WriteOptions } from "./files.ts";

interface FakeFile {
  readonly text: string;
  readonly mode: number;
}

/** A file system in memory. Writing needs no directory to exist. */
export class FakeFiles implements Files {
  readonly files = new Map<string, FakeFile>();
  readonly privateDirectories = new Set<string>();
  #failure: Error | undefined;

  /** Makes the next write fail and leave the file as it was. */
  failNextWrite(error: Error): void {
    this.#failure = error;
  }

  /** The files as text, a paragraph for each: mode and path, then the content, indented. */
  get text(): string {
    return [...this.files]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, { mode, text }]) => {
        const indented = text.trimEnd().replaceAll(/^(?=.)/gm, "  ");
        return `${mode.toString(8).padStart(4, "0")} ${path}\n${indented}`;
      })
      .join("\n");
  }

  async read(path: string): Promise<string | undefined> {
    return this.files.get(path)?.text;
  }

  async write(path: string, content: string | Uint8Array, options: WriteOptions = {}) {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    this.files.set(path, { text: Buffer.from(content).toString(), mode: options.mode ?? 0o644 });
  }

  async remove(path: string): Promise<void> {
    this.files.delete(path);
  }

  async list(directory: string): Promise<readonly string[]> {
    const inside = `${resolve(directory)}/`;
    const below = [...this.files.keys()].filter((path) => path.startsWith(inside));
    const names = below.map((path) => path.slice(inside.length).replace(/\/.*/, ""));
    return [...new Set(names)].toSorted();
  }

  async makePrivateDirectory(path: string): Promise<void> {
    this.privateDirectories.add(path);
  }

  async removeUnfinishedWrites(): Promise<void> {
    // The fake never leaves an unfinished write.
  }
}
