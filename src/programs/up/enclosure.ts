// An enclosure: PID, mount and network namespaces of a cluster's own, and a user namespace if the user is not
// root. Everything made inside ends with the first process inside.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { type Order, orderText } from "./order.ts";

export interface EnclosureOptions {
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  readonly users: "same" | "one" | "range";
  /** A listening socket, which is file descriptor 3 inside. */
  readonly descriptor: number;
  /** The log file for all output that is not a report. */
  readonly log: string;
}

type Pipes = ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };

export class Enclosure {
  readonly #child: Pipes;
  readonly exited: Promise<void>;
  /**
   * Reports, line by line. Read from the start: an iterator made after the stream has ended would never end.
   */
  readonly reports: AsyncIterable<string>;

  private constructor(child: Pipes) {
    this.#child = child;
    this.exited = once(child, "exit").then(() => undefined);
    this.reports = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    // Writes to an enclosure that has ended fail; its end is known from its reports.
    child.stdin.on("error", () => undefined);
  }

  /** Starts an enclosure. It does nothing until it is given an order, and ends if it gets none. */
  static async open(options: EnclosureOptions): Promise<Enclosure> {
    const { descriptor, environment: env } = options;
    const log = openSync(options.log, "a", 0o600);
    try {
      const [program = "", ...args] = wrapped(options);
      const stdio = ["pipe", "pipe", log, descriptor] as const;
      const child = spawn(program, args, { detached: true, env, stdio: [...stdio] });
      await once(child, "spawn");
      if (!hasPipes(child)) throw new Error("Cannot talk to an enclosure: it has no pipes");
      return new Enclosure(child);
    } finally {
      closeSync(log);
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  order(order: Order): void {
    this.#child.stdin.write(`${orderText(order)}
`);
  }

  /** Lets the enclosure run on when this process ends. */
  release(): void {
    this.#child.stdin.end("detach\n");
    this.#child.stdout.destroy();
    this.#child.unref();
  }

  /** Asks the enclosure to shut down in order. */
  close(): void {
    this.#child.stdin.end();
  }
}

function hasPipes(child: ChildProcess): child is Pipes {
  return child.stdin !== null && child.stdout !== null;
}

/**
 * The shell script of the first process. The shell reaps orphaned processes while it waits. First of all it
 * unmounts the network namespaces that others have mounted: they would outlive their removal in here. (Mounts
 * that a user namespace has inherited go with the machine's own mount.)
 */
const init = [
  "awk '/ - nsfs / { print $5 }' /proc/self/mountinfo | xargs --no-run-if-empty umount --lazy 2> /dev/null; :",
  "mount -t tmpfs -o mode=755,nosuid,nodev tmpfs /run",
  "mkdir /run/netns /run/lock",
  '"$@"',
].join(" && ");

function wrapped({ command, users }: EnclosureOptions): readonly string[] {
  const namespaces = [
    "--mount",
    "--net",
    "--pid",
    "--ipc",
    "--uts",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--propagation=slave",
  ];
  const mapping = {
    same: [],
    one: ["--user", "--map-root-user"],
    range: ["--user", "--map-root-user", "--map-auto"],
  }[users];
  return [
    "unshare",
    ...mapping,
    ...namespaces,
    "--",
    "sh",
    "-c",
    `${init}; exit $?`,
    "sh",
    ...command,
  ];
}
