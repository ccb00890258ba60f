import { type ChildProcess, spawn } from "node:child_process";
import { messageOf, systemCode } from "../../program/errors.ts";
import type { ProcessOptions } from "../command.ts";
import { CommandError } from "../error.ts";

export interface GroupOptions extends ProcessOptions {
  readonly inherited: NodeJS.ProcessEnv;
  readonly output: "pipe" | "ignore";
}

/** Starts a program as the leader of a process group, which ends when its leader does. */
export function spawnGroup(command: readonly string[], options: GroupOptions): ChildProcess {
  const child = spawnLeader(command, options);
  child.once("exit", () => killMembers(child, "SIGKILL"));
  child.stdin?.on("error", (error: NodeJS.ErrnoException) => {
    // EPIPE: a program may end without reading all of its input; its exit code tells whether that is an
    // error.
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
  });
  child.stdin?.end(options.stdin);
  return child;
}

/** Signals the group, unless the leader is gone: its process id may have been reused by then. */
export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.exitCode === null && child.signalCode === null) killMembers(child, signal);
}

export function notStarted(command: readonly string[], cause: unknown): CommandError {
  const message = `Cannot start ${command.join(" ").slice(0, 1000)}: ${messageOf(cause)}`;
  const reason = reasons[systemCode(cause) ?? ""] ?? "failed";
  return new CommandError(message, { command, reason, cause });
}

const reasons: Readonly<Record<string, CommandError["reason"]>> = {
  ENOENT: "not-installed",
  EACCES: "not-permitted",
  E2BIG: "too-large",
};

/** Spawns the leader. Some failures, such as arguments that are too long, throw; others become events. */
function spawnLeader(command: readonly string[], options: GroupOptions): ChildProcess {
  const [program = "", ...args] = wrapped(command, options.namespace);
  const { output, stdin, descriptors = [] } = options;
  try {
    return spawn(program, args, {
      detached: true,
      cwd: options.cwd,
      env: childEnvironment(options.inherited, options.environment),
      stdio: [stdin === undefined ? "ignore" : "pipe", output, output, ...descriptors],
    });
  } catch (error) {
    throw notStarted(command, error);
  }
}

function killMembers(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (systemCode(error) !== "ESRCH") throw error;
  }
}

/** Wraps a command in nsenter: cheaper than `ip netns exec`, takes any path, and leaves /sys alone. */
function wrapped(command: readonly string[], namespace: string | undefined): readonly string[] {
  return namespace === undefined ? command : ["nsenter", `--net=${namespace}`, "--", ...command];
}

/**
 * The environment of the program: without extra certificates, which triple Node's start; in English, since
 * messages are matched; with the directories of ip, nft and their like, which an ordinary user's PATH lacks.
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
