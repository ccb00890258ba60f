// The OCI runtime, and what its complaints mean.
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import type { CallOptions, Commands } from "../../host/command.ts";
import { HostError } from "../../host/error.ts";
import { searchPath } from "./monitor.ts";

export class OciRuntime {
  readonly path: string;
  readonly #commands: Commands;
  readonly #directory: string;

  constructor(options: { path: string; commands: Commands; directory: string }) {
    this.path = options.path;
    this.#commands = options.commands;
    this.#directory = options.directory;
  }

  /** In front of the runtime's own words. */
  command(...words: readonly string[]): readonly string[] {
    return [this.path, `--root=${this.#directory}`, ...words];
  }

  async start(id: string, options: CallOptions): Promise<void> {
    await this.#commands.run(this.command("start", id), options);
  }

  /** With all its processes. Also when there is none. */
  async delete(id: string): Promise<void> {
    await this.#commands.run(this.command("delete", "--force", id));
  }
}

export async function findProgram(name: string): Promise<string> {
  for (const directory of searchPath().split(":")) {
    const path = join(directory, name);
    if (await isExecutable(path)) return path;
  }
  throw new HostError(`Cannot run containers: ${name} is not installed`, {
    reason: "not-installed",
  });
}

/** The last thing it complained of, without what stands in front of every such line. */
export function complaintOf(text: string): string {
  const messages = [...text.matchAll(/level=(?:error|fatal) msg=("(?:[^"\\]|\\.)*")/g)];
  const quoted = messages.at(-1)?.[1];
  const said = quoted === undefined ? text : (JSON.parse(quoted) as string);
  return said
    .trim()
    .replace(/^.*unable to start container process: (?:error during container init: )?/, "");
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") return false;
    throw error;
  }
}
