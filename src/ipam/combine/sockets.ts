import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  statSync,
} from "node:fs";
import { systemCode } from "../errors.ts";
import type { Invocation, Outcome } from "../run.ts";
import type { Bun, BunRequestOptions } from "../runtime.ts";
import type { Leading, Meeting } from "./combine.ts";
import { Visitors } from "./visitors.ts";

/** Longer than work takes unless something is wrong; then it is better done by another. */
const patienceMilliseconds = 15_000;
/** Lets connections that are under way arrive before the door is closed. */
const lastCallMilliseconds = 2;

/**
 * Meets at a socket in a directory that only its owner can enter. Each network namespace has its
 * own: who is in another one may not reach what we reach. Undefined where there can be no socket.
 */
export function meetAtSocket(bun: Bun, directory: string): Meeting | undefined {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    accessSync(directory, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
  const namespace = readlinkSync("/proc/self/ns/net").replaceAll(/\D/g, "");
  return new SocketMeeting(bun, `${directory}/${namespace}.sock`);
}

class SocketMeeting implements Meeting {
  readonly #bun: Bun;
  readonly #path: string;

  constructor(bun: Bun, path: string) {
    this.#bun = bun;
    this.#path = path;
  }

  async ask(invocation: Invocation): Promise<Outcome | "nobody" | "silence"> {
    if (!existsSync(this.#path)) return "nobody";
    const options: RequestInit & BunRequestOptions = {
      unix: this.#path,
      method: "POST",
      body: JSON.stringify(invocation),
      signal: AbortSignal.timeout(patienceMilliseconds),
    };
    try {
      const response = await fetch("http://localhost/", options);
      return (await response.json()) as Outcome;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // It hangs, and would keep everybody waiting.
      if (error.name === "TimeoutError") this.bury();
      return "silence";
    }
  }

  bury(): void {
    rmSync(this.#path, { force: true });
  }

  async lead(answer: (invocation: Invocation) => Promise<Outcome>): Promise<Leading | undefined> {
    if (existsSync(this.#path)) return undefined;
    const own = `${this.#path}.${process.pid}-${Math.random().toString(36).slice(2)}`;
    const visitors = new Visitors();
    const server = this.#bun.serve({
      unix: own,
      idleTimeout: 0,
      fetch: (request) =>
        visitors.receive(async () =>
          Response.json(await answer((await request.json()) as Invocation)),
        ),
    });
    const { ino } = statSync(own);
    const isFirst = link(own, this.#path);
    rmSync(own);
    if (!isFirst) {
      await server.stop(true);
      return undefined;
    }
    return {
      get isBusy() {
        return visitors.present > 0;
      },
      idle: (milliseconds) => visitors.until("gone", milliseconds),
      visited: (milliseconds) => visitors.until("there", milliseconds),
      leave: async () => {
        const current = statSync(this.#path, { throwIfNoEntry: false });
        if (current?.ino === ino) rmSync(this.#path, { force: true });
        if (visitors.total > 0) await sleep(lastCallMilliseconds);
      },
      close: () => server.stop(false),
    };
  }
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
