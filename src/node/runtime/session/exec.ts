// Commands that are executed in a container that runs.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { readIfExists } from "../../../base/host/files.system.ts";
import type { RuntimeContext } from "../context.ts";
import { ContainerError } from "../error.ts";
import { removeDirectory } from "../machine/remove.ts";
import { complaintOf } from "../oci-runtime.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ContainerSession, ExecRequest } from "../port.ts";
import { searchPath } from "../programs.ts";
import { readRecord, readStarted } from "../record.ts";
import { endSession, makeSession, readNumber, type SessionDirectory } from "./directory.ts";
import { resizeTerminal, typing } from "./terminal.ts";

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

/** The runtime goes to the container's root first, which is only seen by conmon where it has users of its own. */
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

/** socat makes the terminal; it does not pass on the exit code, so a file does. */
async function withTerminal(
  command: readonly string[],
  execution: Execution,
): Promise<ContainerSession> {
  const { request, session } = execution;
  const line = command.map(quoted).join(" ");
  await writeFile(join(session.path, "run"), `tty > tty\n${line}\necho $? > code\n`);
  const terminal = join(session.path, "tty");
  // The runtime leaves it to this terminal to end lines as terminals do.
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
  // A command may end without reading all of its input; whatever happens, its exit code tells.
  child.stdin?.on("error", () => child.stdin?.destroy());
  return child;
}

interface Ending extends Execution {
  readonly codeOf: (code: number) => Promise<number>;
}

function ending(child: ChildProcess, options: Ending): Promise<number> {
  const exited = waitFor(child, options);
  // Not everybody asks for it.
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
  // It may have been given up while it was prepared.
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

/** As shells count: 128 and the number of SIGKILL. */
const killedCode = 137;

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
