import { once } from "node:events";
import type { CommandExit, OutputStream, RunningCommand, StartOptions } from "../command.ts";
import { killGroup, notStarted, spawnGroup } from "./group.system.ts";
import { eachLine } from "./lines.ts";

interface LaunchOptions extends StartOptions {
  readonly inherited: NodeJS.ProcessEnv;
}

/** The time in which an ended program's output is still read, should another process hold its pipes open. */
const drainMs = 1000;

/** Starts a program that runs until it ends, is stopped, or the signal is aborted. */
export async function launch(
  command: readonly string[],
  options: LaunchOptions,
): Promise<RunningCommand> {
  const { signal, onLine, graceMs = 5000 } = options;
  signal?.throwIfAborted();

  const child = spawnGroup(options.diesWithParent ? dyingWithParent(command) : command, {
    ...options,
    output: onLine === undefined ? "ignore" : "pipe",
  });
  const exited = new Promise<CommandExit>((resolve) => {
    // setImmediate: if this process was stalled meanwhile, it reads the pending output before it closes the
    // pipes.
    child.once("exit", () => setTimeout(() => setImmediate(cutPipes), drainMs).unref());
    child.once("close", (code, killed) =>
      resolve(code === null ? { ...(killed !== null && { signal: killed }) } : { code }),
    );
  });
  const cutPipes = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const hear = (stream: OutputStream): void => {
    const source = child[stream];
    if (source !== null && onLine !== undefined) eachLine(source, (line) => onLine(line, stream));
  };
  hear("stdout");
  hear("stderr");

  try {
    await once(child, "spawn");
  } catch (error) {
    throw notStarted(command, error);
  }

  const stop = async (): Promise<CommandExit> => {
    killGroup(child, "SIGTERM");
    const timer = setTimeout(() => killGroup(child, "SIGKILL"), graceMs);
    return exited.finally(() => clearTimeout(timer));
  };
  const onAbort = (): void => void stop();
  signal?.addEventListener("abort", onAbort, { once: true });
  void exited.then(() => signal?.removeEventListener("abort", onAbort));
  if (signal?.aborted) onAbort();
  return { pid: child.pid ?? 0, exited, stop, kill: (name) => killGroup(child, name) };
}

/**
 * Wraps a command so that it dies with this process; if this process died before the kernel was told so,
 * nothing is started.
 */
function dyingWithParent(command: readonly string[]): readonly string[] {
  const unlessOrphaned = '[ "$PPID" = "$0" ] && exec "$@"';
  const parent = String(process.pid);
  return ["setpriv", "--pdeathsig", "KILL", "--", "sh", "-c", unlessOrphaned, parent, ...command];
}
