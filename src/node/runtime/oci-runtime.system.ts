// The OCI runtime, runc.
import { constants, type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions, Commands } from "../../base/host/command.ts";
import { systemCode } from "../../base/program/errors.ts";
import { isAlive, type ProcessIdentity } from "./machine/processes.system.ts";
import type { FoundProgram } from "./programs.system.ts";

export class OciRuntime {
  readonly program: FoundProgram;
  readonly #commands: Commands;
  readonly #directory: string;

  constructor(options: { program: FoundProgram; commands: Commands; directory: string }) {
    this.program = options.program;
    this.#commands = options.commands;
    this.#directory = options.directory;
  }

  /** Returns the runtime's command line with these arguments. */
  async command(...words: readonly string[]): Promise<readonly string[]> {
    return [await this.program.path(), `--root=${this.#directory}`, ...words];
  }

  /**
   * Starts a created container, which waits until somebody reads from the FIFO in its directory. Reading it
   * here saves a `runc start` process that would do nothing else.
   */
  async start(
    { id, process }: { readonly id: string; readonly process: ProcessIdentity },
    { signal }: CallOptions = {},
  ): Promise<void> {
    const path = join(this.#directory, id, "exec.fifo");
    const pipe = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      for (;;) {
        signal?.throwIfAborted();
        // The process is looked up before the read, so that what it wrote just before its end is not missed.
        const wasAlive = await isAlive(process);
        if (await hasWord(pipe)) break;
        if (!wasAlive) throw new Error("it was killed meanwhile");
        await sleep(pauseMs);
      }
    } finally {
      await pipe.close();
    }
    // The runtime considers the container started when the FIFO is gone.
    await rm(path, { force: true });
  }

  /** Changes the limits of a running container. */
  async update(id: string, resources: object): Promise<void> {
    const stdin = JSON.stringify(resources);
    await this.#commands.run(await this.command("update", "--resources=-", id), { stdin });
  }

  /** Deletes the container with all its processes, if there is one. */
  async delete(id: string): Promise<void> {
    await this.#commands.run(await this.command("delete", "--force", id));
  }

  /** Removes the runtime's state only; the caller has seen to the processes and the cgroup. */
  async forget(id: string): Promise<void> {
    await rm(join(this.#directory, id), { recursive: true, force: true });
  }
}

const pauseMs = 1;

/**
 * Returns whether the container has written to the FIFO. Until it has, a read finds nothing or fails with
 * EAGAIN.
 */
async function hasWord(pipe: FileHandle): Promise<boolean> {
  try {
    return (await pipe.read(Buffer.alloc(1), 0, 1)).bytesRead > 0;
  } catch (error) {
    if (systemCode(error) === "EAGAIN") return false;
    throw error;
  }
}
