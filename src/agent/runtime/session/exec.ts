// Commands that are executed in a container that runs.
import { type ChildProcess, spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { RuntimeContext } from "../context.ts";
import { ContainerError } from "../error.ts";
import { searchPath } from "../monitor.ts";
import type { ContainerSession, ExecRequest } from "../port.ts";
import { complaintOf } from "../runtime.ts";
import { killSession, makeSession, readPid, type SessionDirectory } from "./directory.ts";
import { resizeTerminal, type Terminal, typing } from "./terminal.ts";

export async function execIn(
  id: string,
  request: ExecRequest,
  { places, runtime }: RuntimeContext,
): Promise<ContainerSession> {
  request.signal?.throwIfAborted();
  const session = await makeSession(places.container(id), request);
  const { process, pid, complaints } = session;
  const words = ["exec", "--process", process, "--pid-file", pid];
  const command = runtime.command(`--log=${complaints}`, ...words, id);
  return request.terminal === true
    ? await withTerminal(command, { request, session })
    : withPipes(command, { request, session });
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
  const words = ["--tty", ...command.slice(command.indexOf("exec") + 1)];
  const line = [...command.slice(0, command.indexOf("exec") + 1), ...words].map(quoted).join(" ");
  await writeFile(join(session.path, "run"), `${line}\necho $? > code\n`);
  const terminal: Terminal = { link: join(session.path, "tty") };
  const pty = "EXEC:sh run,pty,setsid,ctty,rawer,link=tty";
  const child = start(["socat", "-t", "0.01", "STDIO", pty], { input: "pipe", ...execution });
  const exited = ending(child, {
    ...execution,
    codeOf: async () => (await readPid(join(session.path, "code"))) ?? 0,
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
  child.stdin?.on("error", (error: NodeJS.ErrnoException) => {
    // A command may end without reading all of its input.
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
  });
  return child;
}

interface Ending extends Execution {
  readonly codeOf: (code: number) => Promise<number>;
}

async function ending(child: ChildProcess, { request, session, codeOf }: Ending): Promise<number> {
  const { signal } = request;
  const stop = (): void => void killSession(session).finally(() => child.kill("SIGKILL"));
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (ended) => resolve(ended ?? killedCode));
    });
    signal?.throwIfAborted();
    if ((await readPid(session.pid)) !== undefined) return await codeOf(code);
    const said = complaintOf(await readFile(session.complaints, "utf8"));
    throw new ContainerError(`Cannot execute ${request.command.join(" ")}: ${said}`, {
      reason: "failed",
    });
  } finally {
    signal?.removeEventListener("abort", stop);
    await rm(session.path, { recursive: true, force: true });
  }
}

/** As shells count: 128 and the number of SIGKILL. */
const killedCode = 137;

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
