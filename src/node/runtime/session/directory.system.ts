// The directory of a command executed in a container, which exists as long as the command runs.
import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemFiles } from "../../../base/host/files.system.ts";
import type { OciConfig } from "../bundle/oci.ts";
import { killBelow, killTree, processesMentioning } from "../machine/processes.system.ts";
import { removeDirectory } from "../machine/remove.system.ts";
import type { ContainerPlaces } from "../places.ts";
import type { ExecRequest } from "../port.ts";

export interface SessionDirectory {
  readonly path: string;
  /** The file with the process specification for the runtime. */
  readonly process: string;
  /** The file with the command's pid on the machine, written once it runs. */
  readonly pid: string;
  /** The file with the runtime's errors. */
  readonly complaints: string;
}

/**
 * Makes a session's directory. The command gets the container's user, environment, working directory and
 * privileges.
 */
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

/** Reads a number from a file; returns undefined when the file is missing or empty. */
export async function readNumber(path: string): Promise<number | undefined> {
  const text = (await systemFiles.read(path))?.trim() ?? "";
  return text === "" ? undefined : Number(text);
}

/** The time that the runtime gets to end by itself after its command has ended. */
const patienceMs = 5000;
const pauseMs = 20;

/**
 * Kills the command and its descendants, repeatedly until the session is over, since the command may be just
 * about to start. The runtime ends by itself then; if it were killed first, its command could not be found
 * any more. A runtime whose command was killed before it had a terminal waits forever, and is killed.
 */
export async function endSession(
  { process }: SessionDirectory,
  isOver: (programs: readonly number[]) => boolean,
): Promise<void> {
  const begun = Date.now();
  for (let lasted = 0; lasted < 2 * patienceMs; lasted = Date.now() - begun) {
    // The runtime has the file in its command line; the command in the container is its child.
    const programs = await processesMentioning(process);
    if (isOver(programs)) return;
    for (const pid of programs) await (lasted > patienceMs ? killTree(pid) : killBelow(pid));
    await sleep(pauseMs);
  }
}

/** Ends the sessions of an agent that was killed, whose output nobody reads any more. */
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
