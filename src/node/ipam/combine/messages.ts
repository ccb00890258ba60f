// Messages between plugin processes (see client/tandem-ipam.c): a length in decimal, a newline, and that
// many bytes. Spaces before a message mean that the answer is being worked on.

import type { Socket } from "node:net";
import type { Invocation, Outcome } from "../run.ts";

/** Encodes a call: each variable ended by a NUL, one more NUL, and standard input. */
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

/** Encodes an answer: the exit code as a digit, and standard output. */
export function encodeOutcome({ output, failed }: Outcome): Buffer {
  return message(`${failed ? 1 : 0}${output}`);
}

export function decodeOutcome(content: Buffer): Outcome {
  return { failed: content[0] !== succeeded, output: content.toString("utf8", 1) };
}

const succeeded = "0".charCodeAt(0);
const newline = "\n".charCodeAt(0);
/** The most bytes before the newline: the digits of a length, and more signs of life than any work takes. */
const longestHead = 1000;

/** Receives the content of the next message; undefined when the connection ends before it does. */
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
    // The error is not reported: the other process may be killed at any time, and the end of the
    // connection says enough.
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
