import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { basename, dirname, join } from "node:path";
import type { Random } from "../../../base/host/random.ts";
import { systemCode } from "../../../base/program/errors.ts";
import type { Invocation, Outcome } from "../run.ts";
import type { Leading, Meeting } from "./combine.ts";
import {
  decodeInvocation,
  decodeOutcome,
  encodeInvocation,
  encodeOutcome,
  receive,
} from "./messages.ts";
import { Visitors } from "./visitors.ts";

type Answer = (invocation: Invocation) => Promise<Outcome>;

/** The time after which a silent process counts as hung. */
const patienceMilliseconds = 5_000;
/** The interval at which a leader that is still working sends a sign of life. */
const signMilliseconds = 1_000;
const settledMilliseconds = 60_000;
/** The time that a leaving leader gives to connections that are under way. */
const lastCallMilliseconds = 2;

/**
 * Returns the socket that plugins of this network namespace share, unless another is named: a process in
 * another namespace may not reach the datastores that this one reaches.
 */
export function usualSocket({ TANDEM_IPAM_SOCKET: given }: NodeJS.ProcessEnv): string {
  return given ?? `/run/tandem-ipam/${statSync("/proc/self/ns/net").ino}.sock`;
}

/**
 * Makes the directory of the socket, and lets processes meet there. Undefined unless the directory can be
 * made, and is writable only by root or this user.
 */
export function meetAtSocket(path: string, random: Random): SocketMeeting | undefined {
  const directory = dirname(path);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.W_OK | constants.X_OK);
    const { uid, mode } = statSync(directory);
    const isOurs = uid === 0 || uid === process.geteuid?.();
    return isOurs && (mode & writableByOthers) === 0 ? new SocketMeeting(path, random) : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

const writableByOthers = 0o022;

export interface SocketLeading extends Leading {
  /**
   * Whether other processes find this socket; false once one of them has removed it, thinking that its
   * owner was dead.
   */
  readonly isPlaced: boolean;
}

export class SocketMeeting implements Meeting {
  readonly path: string;
  readonly #random: Random;

  constructor(path: string, random: Random) {
    this.path = path;
    this.#random = random;
  }

  async ask(invocation: Invocation): Promise<Outcome | "nobody" | "silence"> {
    if (!existsSync(this.path)) return "nobody";
    const socket = createConnection(this.path);
    // A leader that hangs would keep every plugin waiting.
    socket.setTimeout(patienceMilliseconds, () => {
      this.bury();
      socket.destroy();
    });
    socket.write(encodeInvocation(invocation));
    const answer = await receive(socket);
    socket.destroy();
    return answer === undefined ? "silence" : decodeOutcome(answer);
  }

  /** Whether a process listens on the socket, even if it does not answer. */
  isAttended(): Promise<boolean> {
    return isAttended(this.path);
  }

  bury(): void {
    rmSync(this.path, { force: true });
  }

  /**
   * Removes sockets that killed processes have left: those of this path, and those of network namespaces
   * that are gone.
   */
  async sweep(): Promise<void> {
    const directory = dirname(this.path);
    const isOurs = (name: string) =>
      name.startsWith(`${basename(this.path)}.`) || /^\d+\.sock(\.|$)/.test(name);
    for (const path of readdirSync(directory)
      .filter(isOurs)
      .map((name) => join(directory, name))) {
      const found = statSync(path, { throwIfNoEntry: false });
      // The socket file exists a moment before its process listens on it.
      if (found === undefined || Date.now() - found.mtimeMs < settledMilliseconds) continue;
      if (!(await isAttended(path))) rmSync(path, { force: true });
    }
  }

  async lead(answer: Answer): Promise<SocketLeading | undefined> {
    if (existsSync(this.path)) return undefined;
    const unique = Buffer.from(this.#random.bytes(6)).toString("hex");
    const own = `${this.path}.${process.pid}-${unique}`;
    const visitors = new Visitors();
    const server = createServer((socket) => void visitors.receive(() => serve(socket, answer)));
    await listen(server, own);
    const { ino } = statSync(own);
    const isFirst = link(own, this.path);
    rmSync(own);
    if (!isFirst) {
      await close(server);
      return undefined;
    }
    const isPlaced = () => statSync(this.path, { throwIfNoEntry: false })?.ino === ino;
    return {
      get isBusy() {
        return visitors.present > 0;
      },
      get isPlaced() {
        return isPlaced();
      },
      idle: (milliseconds) => visitors.until("gone", milliseconds),
      visited: (milliseconds) => visitors.until("there", milliseconds),
      leave: async () => {
        if (isPlaced()) this.bury();
        if (visitors.total > 0) await sleep(lastCallMilliseconds);
      },
      close: () => close(server),
    };
  }
}

function isAttended(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once("error", (error) => resolve(systemCode(error) !== "ECONNREFUSED"));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function serve(socket: Socket, answer: Answer): Promise<void> {
  socket.setTimeout(patienceMilliseconds, () => socket.destroy());
  const question = await receive(socket);
  if (question === undefined) return;
  socket.setTimeout(0);
  const sign = setInterval(() => socket.write(" "), signMilliseconds);
  const outcome = encodeOutcome(await answer(decodeInvocation(question)));
  clearInterval(sign);
  if (socket.destroyed) return;
  await new Promise<void>((resolve) => {
    socket.once("close", resolve).end(outcome, resolve);
  });
}

/** The backlog of the socket: more than the pods that a node starts at a time. */
const backlog = 4096;

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen({ path, backlog }, resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Links a file to a name; false when the name is taken. */
function link(existing: string, name: string): boolean {
  try {
    linkSync(existing, name);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}
