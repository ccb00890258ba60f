// Executes commands in a running container.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { readIfExists } from "../../../base/host/files.system.ts";
import { quoted } from "../../../base/program/shell-word.ts";
import { complaintOf } from "../complaint.ts";
import type { RuntimeContext } from "../context.ts";
import { ContainerError } from "../error.ts";
import { removeDirectory } from "../machine/remove.system.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerSession, ExecRequest } from "../port.ts";
import { searchPath } from "../programs.system.ts";
import { readRecord, readStarted } from "../record.system.ts";
import { endSession, makeSession, readNumber, type SessionDirectory } from "./directory.system.ts";
import { resizeTerminal, typing } from "./terminal.system.ts";

export async function execIn(
  id: string,
  request: ExecRequest,
  { places, runtime }: RuntimeContext,
): Promise<ContainerSession> {
  request.signal?.throwIfAborted();
  const session = await makeSession(places.container(id), request);
  const { process, pid, complaints } = session;
  const terminal = request.terminal === true ? ["--tty"] : [];
  const words = ["exec", ...terminal, "--process", process, "--pid-file", pid];
  const command = [
    ...(await wayTo(places.container(id))),
    ...(await runtime.command(`--log=${complaints}`, ...words, id)),
  ];
  return request.terminal === true
    ? await withTerminal(command, { request, session })
    : withPipes(command, { request, session });
}

/**
 * Returns the prefix that enters conmon's mount namespace: the runtime needs the container's root, which only
 * conmon sees when the container has a user namespace.
 */
async function wayTo(own: ContainerPlaces): Promise<readonly string[]> {
  const [record, started] = await Promise.all([readRecord(own), readStarted(own)]);
  if (record?.users === undefined || started === undefined) return [];
  return ["nsenter", `--mount=/proc/${started.monitor.pid}/ns/mnt`, "--"];
}

interface Execution {
  readonly request: ExecRequest;
  readonly session: SessionDirectory;
}

function withPipes(command: readonly string[], execution: Execution): ContainerSession {
  const { request } = execution;
  const child = start(command, { input: request.stdin === true ? "pipe" : "ignore", ...execution });
  return {
    ...(child.stdin !== null && { stdin: child.stdin }),
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    exited: ending(child, { ...execution, codeOf: (code) => Promise.resolve(code) }),
    resize: () => Promise.resolve(),
  };
}

/**
 * Runs the command on a terminal that socat makes. The exit code goes through a file, since socat does not
 * pass it on.
 */
async function withTerminal(
  command: readonly string[],
  execution: Execution,
): Promise<ContainerSession> {
  const { request, session } = execution;
  const line = command.map(quoted).join(" ");
  await writeFile(join(session.path, "run"), `tty > tty\n${line}\necho $? > code\n`);
  const terminal = join(session.path, "tty");
  // The runtime leaves it to this terminal to translate newlines (onlcr).
  const pty = "EXEC:sh run,pty,setsid,ctty,rawer,opost,onlcr";
  const child = start(["socat", "-t", "0.01", "STDIO", pty], { input: "pipe", ...execution });
  const exited = ending(child, {
    ...execution,
    codeOf: async () => (await readNumber(join(session.path, "code"))) ?? 0,
  });
  child.stderr?.resume();
  return {
    ...(request.stdin === true && child.stdin !== null && { stdin: typing(child.stdin) }),
    stdout: child.stdout as Readable,
    exited,
    resize: (size) => resizeTerminal(terminal, { size, exited }),
  };
}

function start(
  [program = "", ...args]: readonly string[],
  { input, session }: Execution & { readonly input: "pipe" | "ignore" },
): ChildProcess {
  const child = spawn(program, args, {
    detached: true,
    cwd: session.path,
    stdio: [input, "pipe", "pipe"],
    env: { PATH: searchPath(), LC_ALL: "C.UTF-8" },
  });
  // A command may end without reading all of its input; its exit code shows whether that is an error.
  child.stdin?.on("error", () => child.stdin?.destroy());
  return child;
}

interface Ending extends Execution {
  readonly codeOf: (code: number) => Promise<number>;
}

function ending(child: ChildProcess, options: Ending): Promise<number> {
  const exited = waitFor(child, options);
  // Callers that ignore the result must not cause an unhandled rejection.
  exited.catch(() => undefined);
  return exited;
}

async function waitFor(child: ChildProcess, { request, session, codeOf }: Ending): Promise<number> {
  const { signal } = request;
  let stopped: Promise<void> | undefined;
  const stop = (): void => {
    stopped = stopSession(child, session);
  };
  signal?.addEventListener("abort", stop, { once: true });
  // The signal may have aborted while the session was being prepared.
  if (signal?.aborted === true) stop();
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (ended) => resolve(ended ?? killedCode));
    });
    signal?.throwIfAborted();
    if ((await readNumber(session.pid)) !== undefined) return await codeOf(code);
    const said = complaintOf((await readIfExists(session.complaints)) ?? "it was ended");
    throw new ContainerError(`Cannot execute ${request.command.join(" ")}: ${said}`, {
      reason: "failed",
    });
  } finally {
    signal?.removeEventListener("abort", stop);
    await stopped;
    await removeDirectory(session.path);
  }
}

async function stopSession(child: ChildProcess, session: SessionDirectory): Promise<void> {
  await endSession(session, () => child.exitCode !== null || child.signalCode !== null);
  child.kill("SIGKILL");
}

/** The exit code of a killed command, as shells count: 128 plus the number of SIGKILL. */
const killedCode = 137;
