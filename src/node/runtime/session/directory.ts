// Each command that is executed in a container has a directory for as long as it runs.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemFiles } from "../../../base/host/files.system.ts";
import type { OciConfig } from "../bundle/oci.ts";
import { killBelow, killTree, processesMentioning } from "../machine/processes.ts";
import { removeDirectory } from "../machine/remove.ts";
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

/** Nothing when there is no such file, or nothing in it yet. */
export async function readNumber(path: string): Promise<number | undefined> {
  const text = (await systemFiles.read(path))?.trim() ?? "";
  return text === "" ? undefined : Number(text);
}

/** How long the runtime may take to end by itself when its command has. */
const patienceMs = 5000;
const pauseMs = 20;

/**
 * Ends the command with all that it started, again and again until that is over, since it may only be about
 * to begin. The runtime ends by itself then; killed first, it would leave a command that nobody finds any
 * more. One whose command was ended before it had a terminal waits for that for ever, and is killed.
 */
export async function endSession(
  { process }: SessionDirectory,
  isOver: (programs: readonly number[]) => boolean,
): Promise<void> {
  const begun = Date.now();
  for (let lasted = 0; lasted < 2 * patienceMs; lasted = Date.now() - begun) {
    // The runtime names the file; what runs in the container is its child.
    const programs = await processesMentioning(process);
    if (isOver(programs)) return;
    for (const pid of programs) await (lasted > patienceMs ? killTree(pid) : killBelow(pid));
    await sleep(pauseMs);
  }
}

/** Ends what an agent that was killed had executed: nobody hears it any more. */
export async function endForgottenSessions(places: ContainerPlaces): Promise<void> {
  for (const name of await systemFiles.list(places.sessions)) {
    const session = sessionIn(join(places.sessions, name));
    await endSession(session, (programs) => programs.length === 0);
    await removeDirectory(session.path);
  }
}

function sessionIn(path: string): SessionDirectory {
  const [process, pid, complaints] = ["process.json", "pid", "complaints"].map((name) =>
    join(path, name),
  ) as [string, string, string];
  return { path, process, pid, complaints };
}
