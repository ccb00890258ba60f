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
import { systemCode } from "../errors.ts";
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

/** Who is silent for that long hangs. */
const patienceMilliseconds = 5_000;
/** How often who needs longer says so. */
const signMilliseconds = 1_000;
const settledMilliseconds = 60_000;
/** Lets connections that are under way arrive before the door is closed. */
const lastCallMilliseconds = 2;

/**
 * Where those of this network namespace meet, unless another place is named: who is in another one may
 * not reach what we reach.
 */
export function usualSocket({ TANDEM_IPAM_SOCKET: given }: NodeJS.ProcessEnv): string {
  return given ?? `/run/tandem-ipam/${statSync("/proc/self/ns/net").ino}.sock`;
}

/**
 * Meets at a socket in a directory that is made, and that only root or we can write to. Undefined where
 * there can be none.
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
  /** Whether those who come find us; not after somebody thought we were dead. */
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
    // It hangs, and would keep everybody waiting.
    socket.setTimeout(patienceMilliseconds, () => {
      this.bury();
      socket.destroy();
    });
    socket.write(encodeInvocation(invocation));
    const answer = await receive(socket);
    socket.destroy();
    return answer === undefined ? "silence" : decodeOutcome(answer);
  }

  /** Whether somebody listens, alive or asleep. */
  isAttended(): Promise<boolean> {
    return isAttended(this.path);
  }

  bury(): void {
    rmSync(this.path, { force: true });
  }

  /** Removes what the killed have left behind: of this place, and of namespaces that are gone. */
  async sweep(): Promise<void> {
    const directory = dirname(this.path);
    const isOurs = (name: string) =>
      name.startsWith(`${basename(this.path)}.`) || /^\d+\.sock(\.|$)/.test(name);
    for (const path of readdirSync(directory)
      .filter(isOurs)
      .map((name) => join(directory, name))) {
      const found = statSync(path, { throwIfNoEntry: false });
      // A name is there a moment before anybody listens.
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

/** How many may wait to be let in: more than a node starts pods at a time. */
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

/** False when the name is taken. */
function link(existing: string, name: string): boolean {
  try {
    linkSync(existing, name);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}
