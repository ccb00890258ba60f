import { type ChildProcess, spawn } from "node:child_process";
import type { ProcessOptions } from "../command.ts";
import { CommandError } from "../error.ts";

export interface GroupOptions extends ProcessOptions {
  readonly inherited: NodeJS.ProcessEnv;
  readonly output: "pipe" | "ignore";
}

/** Starts a program as the leader of a process group, which ends when its leader does. */
export function spawnGroup(command: readonly string[], options: GroupOptions): ChildProcess {
  const [program = "", ...args] = wrapped(command, options.namespace);
  const child = spawn(program, args, {
    detached: true,
    cwd: options.cwd,
    env: childEnvironment(options.inherited, options.environment),
    stdio: [
      options.stdin === undefined ? "ignore" : "pipe",
      options.output,
      options.output,
      ...(options.descriptors ?? []),
    ],
  });
  child.once("exit", () => killMembers(child, "SIGKILL"));
  child.stdin?.on("error", (error: NodeJS.ErrnoException) => {
    // A program may end without reading all of its input; its exit code tells whether that is well.
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
  });
  child.stdin?.end(options.stdin);
  return child;
}

/** Does nothing once the leader is gone: its number may belong to somebody else by then. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) killMembers(child, signal);
}

export function notStarted(command: readonly string[], cause: NodeJS.ErrnoException): CommandError {
  const reason =
    cause.code === "ENOENT"
      ? "not-installed"
      : cause.code === "EACCES"
        ? "not-permitted"
        : "failed";
  return new CommandError(`Cannot start ${command.join(" ")}: ${cause.message}`, {
    command,
    reason,
    cause,
  });
}

function killMembers(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** nsenter costs a millisecond less than `ip netns exec`, takes any path, and leaves /sys alone. */
function wrapped(command: readonly string[], namespace: string | undefined): readonly string[] {
  return namespace === undefined ? command : ["nsenter", `--net=${namespace}`, "--", ...command];
}

/**
 * Extra certificates triple Node's start. Messages are matched, so they must be English. An ordinary
 * user's PATH lacks the directories of ip, nft and their like.
 */
function childEnvironment(
  inherited: NodeJS.ProcessEnv,
  own: ProcessOptions["environment"],
): NodeJS.ProcessEnv {
  return {
    ...inherited,
    NODE_EXTRA_CA_CERTS: undefined,
    LC_ALL: "C.UTF-8",
    PATH: `${inherited["PATH"] ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`,
    ...own,
  };
}
