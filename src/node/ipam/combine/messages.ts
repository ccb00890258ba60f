// What processes say to each other, see client/tandem-ipam.c: a message is its length in decimal, a
// newline, and so many bytes. Spaces before it tell that it is being worked on.

import type { Socket } from "node:net";
import type { Invocation, Outcome } from "../run.ts";

/** Variables, each ended by a NUL, one NUL more, standard input. */
export function encodeInvocation({ variables, input, node }: Invocation): Buffer {
  const all = Object.entries({ ...variables, NODENAME: node });
  return message(`${all.map(([name, value]) => `${name}=${value ?? ""}\0`).join("")}\0${input}`);
}

export function decodeInvocation(content: Buffer): Invocation {
  const end = content.indexOf("\0\0");
  const pairs = content.toString("utf8", 0, Math.max(0, end)).split("\0");
  const { NODENAME: node = "", ...variables } = Object.fromEntries(pairs.map(parsePair));
  return { variables, node, input: content.toString("utf8", end + 2) };
}

/** The exit code as a digit, standard output. */
export function encodeOutcome({ output, failed }: Outcome): Buffer {
  return message(`${failed ? 1 : 0}${output}`);
}

export function decodeOutcome(content: Buffer): Outcome {
  return { failed: content[0] !== succeeded, output: content.toString("utf8", 1) };
}

const succeeded = "0".charCodeAt(0);
const newline = "\n".charCodeAt(0);
/** Longer than any length, and than anybody works. */
const longestHead = 1000;

/** The content of the next message; undefined when the connection ends before it does. */
export function receive(socket: Socket): Promise<Buffer | undefined> {
  let received: Buffer = Buffer.alloc(0);
  return new Promise((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const head = received.indexOf(newline);
      if (head < 0 && received.length > longestHead) socket.destroy();
      if (head < 0) return;
      const end = head + 1 + Number.parseInt(received.toString("latin1", 0, head), 10);
      if (Number.isNaN(end)) socket.destroy();
      if (received.length >= end) resolve(received.subarray(head + 1, end));
    });
    // Whoever asked may be killed at any time; the end of the connection tells all there is to know.
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => resolve(undefined));
  });
}

function message(content: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(content)}\n${content}`);
}

function parsePair(pair: string): [string, string] {
  const equals = pair.indexOf("=");
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}
