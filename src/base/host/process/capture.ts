import type { CommandOutput, OutputStream, RunOptions } from "../command.ts";
import { CommandError, commandFailed } from "../error.ts";
import { killGroup, notStarted, spawnGroup } from "./group.system.ts";

interface CaptureOptions extends RunOptions {
  readonly inherited: NodeJS.ProcessEnv;
}

/** Runs a program to its end and returns its output. */
export async function capture(
  command: readonly string[],
  options: CaptureOptions,
): Promise<CommandOutput> {
  const { signal, timeoutMs = 60_000, maxOutputBytes = 64 * 1024 * 1024 } = options;
  signal?.throwIfAborted();

  const child = spawnGroup(command, { ...options, output: "pipe" });
  const chunks: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] };
  const text = (stream: OutputStream): string => Buffer.concat(chunks[stream]).toString();
  let room = maxOutputBytes;
  let stopped: { readonly why: unknown } | undefined;

  /** Kills the program, and closes its pipes, since a descendant outside of its group may hold them. */
  const stop = (why: unknown): void => {
    stopped ??= { why };
    killGroup(child, "SIGKILL");
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const giveUp = (reason: "timed-out" | "too-large", state: string): void =>
    stop(
      new CommandError(`Cannot run ${command.join(" ")}: ${state}`, {
        command,
        reason,
        stderr: text("stderr"),
      }),
    );
  const collect = (stream: OutputStream) => (chunk: Buffer) => {
    room -= chunk.length;
    if (room < 0) giveUp("too-large", `it said more than ${maxOutputBytes} bytes`);
    else chunks[stream].push(chunk);
  };

  child.stdout?.on("data", collect("stdout"));
  child.stderr?.on("data", collect("stderr"));
  const timer =
    timeoutMs === Infinity
      ? undefined
      : setTimeout(() => giveUp("timed-out", `not done in ${timeoutMs} ms`), timeoutMs);
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });

  return new Promise<CommandOutput>((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(command, error)));
    child.once("close", (code, killed) => {
      if (stopped !== undefined) reject(stopped.why);
      else if (code === 0) resolve({ stdout: text("stdout"), stderr: text("stderr") });
      else
        reject(failure(command, { code, killed, stdout: text("stdout"), stderr: text("stderr") }));
    });
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  });
}

interface Ending {
  readonly code: number | null;
  readonly killed: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function failure(command: readonly string[], ending: Ending): CommandError {
  const { code, killed, stdout, stderr } = ending;
  if (code === null) {
    const message = `Cannot run ${command.join(" ")}: killed by ${killed}`;
    return new CommandError(message, { command, reason: "failed", stdout, stderr });
  }
  if (code === 127 && stderr.startsWith("nsenter: failed to execute")) {
    return notStarted(command, Object.assign(new Error(stderr.trim()), { code: "ENOENT" }));
  }
  return commandFailed(command, { exitCode: code, stdout, stderr });
}
