// The OCI runtime, and what its complaints mean.
import { constants, type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Commands } from "../../base/host/command.ts";
import { identifyProcess } from "./machine/processes.ts";
import type { FoundProgram } from "./programs.ts";

export class OciRuntime {
  readonly program: FoundProgram;
  readonly #commands: Commands;
  readonly #directory: string;

  constructor(options: { program: FoundProgram; commands: Commands; directory: string }) {
    this.program = options.program;
    this.#commands = options.commands;
    this.#directory = options.directory;
  }

  /** In front of the runtime's own words. */
  async command(...words: readonly string[]): Promise<readonly string[]> {
    return [await this.program.path(), `--root=${this.#directory}`, ...words];
  }

  /**
   * A container that was made waits for somebody to read from a pipe in its directory. Reading it here
   * spares a process that would do nothing else.
   */
  async start({ id, pid }: { readonly id: string; readonly pid: number }): Promise<void> {
    const path = join(this.#directory, id, "exec.fifo");
    const pipe = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      for (;;) {
        // Looked at before reading: one that has ended by now may still have said it.
        const process = await identifyProcess(pid);
        if (await hasWord(pipe)) break;
        if (process === undefined) throw new Error("it was killed meanwhile");
        await sleep(pauseMs);
      }
    } finally {
      await pipe.close();
    }
    // It counts as started when the pipe is gone.
    await rm(path, { force: true });
  }

  /** With all its processes. Also when there is none. */
  async delete(id: string): Promise<void> {
    await this.#commands.run(await this.command("delete", "--force", id));
  }

  /** For one whose processes and cgroup are seen to otherwise. */
  async forget(id: string): Promise<void> {
    await rm(join(this.#directory, id), { recursive: true, force: true });
  }
}

const pauseMs = 1;

/** Nothing can be read while nobody has it open for writing, or has not written yet. */
async function hasWord(pipe: FileHandle): Promise<boolean> {
  try {
    return (await pipe.read(Buffer.alloc(1), 0, 1)).bytesRead > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
    throw error;
  }
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
