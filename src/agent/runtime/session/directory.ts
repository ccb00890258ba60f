// Each command that is executed in a container has a directory for as long as it runs.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { OciConfig } from "../bundle/oci.ts";
import { killTree } from "../machine/processes.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ExecRequest } from "../port.ts";

export interface SessionDirectory {
  readonly path: string;
  /** What is to be executed, as the runtime reads it. */
  readonly process: string;
  /** Its number, as the machine counts; there once it runs. */
  readonly pid: string;
  /** What the runtime complains of. */
  readonly complaints: string;
}

/** The command runs as the container does: its user, environment, directory and rights. */
export async function makeSession(
  places: ContainerPlaces,
  { command, terminal = false }: ExecRequest,
): Promise<SessionDirectory> {
  const session = sessionIn(join(places.sessions, randomUUID()));
  const { process } = JSON.parse(await readFile(places.config, "utf8")) as OciConfig;
  const env = terminal ? ["TERM=xterm", ...process.env] : process.env;
  await mkdir(session.path, { recursive: true, mode: 0o700 });
  await writeFile(session.process, JSON.stringify({ ...process, args: command, terminal, env }));
  return session;
}

/** Kills the command with all that it started, if it runs. */
export async function killSession({ pid }: SessionDirectory): Promise<void> {
  const number = await readPid(pid);
  if (number !== undefined) await killTree(number);
}

export async function readPid(path: string): Promise<number | undefined> {
  try {
    return Number(await readFile(path, "utf8")) || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Ends what an agent that was killed had executed: nobody hears it any more. */
export async function endForgottenSessions(places: ContainerPlaces): Promise<void> {
  for (const name of await listSessions(places.sessions)) {
    const session = sessionIn(join(places.sessions, name));
    const [main, own] = await Promise.all([places.pid, session.pid].map(readPid));
    // Its number may belong to somebody else by now, who sees other mounts.
    const mounts = await mountsOf(own);
    if (mounts !== undefined && mounts === (await mountsOf(main))) await killSession(session);
    await rm(session.path, { recursive: true, force: true });
  }
}

function sessionIn(path: string): SessionDirectory {
  const [process, pid, complaints] = ["process.json", "pid", "complaints"].map((name) =>
    join(path, name),
  ) as [string, string, string];
  return { path, process, pid, complaints };
}

async function listSessions(directory: string): Promise<readonly string[]> {
  return await readdir(directory).catch(unlessGone([]));
}

async function mountsOf(pid: number | undefined): Promise<string | undefined> {
  if (pid === undefined) return undefined;
  return await readlink(`/proc/${pid}/ns/mnt`).catch(unlessGone(undefined));
}

function unlessGone<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT" || error.code === "ESRCH") return otherwise;
    throw error;
  };
}
