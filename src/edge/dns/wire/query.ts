// Parses queries. Every byte may be hostile: nothing is read before its presence is checked.

import { flags, rcodes, types } from "./codes.ts";
import type { Name } from "./name.ts";

export interface Query {
  readonly message: Buffer;
  readonly id: number;
  /** The flags: the second word of the header. */
  readonly flags: number;
  readonly name: Name;
  readonly type: number;
  readonly class: number;
  /** The offset where the question section ends. */
  readonly end: number;
  readonly edns: Edns | undefined;
}

export interface Edns {
  readonly version: number;
  /** The largest datagram that the client accepts. */
  readonly size: number;
  readonly dnssecOk: boolean;
}

/** A query that is answered with nothing but an error code. */
export interface Refusal {
  readonly id: number;
  readonly flags: number;
  readonly rcode: number;
}

export const headerLength = 12;

/** Parses a query; undefined for what must not be answered, lest two servers answer each other for ever. */
export function readQuery(message: Buffer): Query | Refusal | undefined {
  if (message.length < headerLength) return undefined;
  const id = message.readUInt16BE(0);
  const word = message.readUInt16BE(2);
  if ((word & flags.response) !== 0) return undefined;
  if ((word & flags.opcode) !== 0) return { id, flags: word, rcode: rcodes.NOTIMP };
  const malformed = { id, flags: word, rcode: rcodes.FORMERR };
  if (message.readUInt16BE(4) !== 1) return malformed;
  const nameEnd = readQuestionName(message);
  if (nameEnd === 0 || nameEnd + 4 > message.length) return malformed;
  const name = lowered.toString("latin1", 0, nameEnd - headerLength - 1);
  const end = nameEnd + 4;
  const edns =
    message.readUInt32BE(6) === 0 && message.readUInt16BE(10) === 0 ? none : readEdns(message, end);
  if (edns === "malformed") return malformed;
  return {
    message,
    id,
    flags: word,
    name,
    type: message.readUInt16BE(nameEnd),
    class: message.readUInt16BE(nameEnd + 2),
    end,
    edns,
  };
}

export function isRefusal(read: Query | Refusal): read is Refusal {
  return "rcode" in read;
}

/** The offset behind the name at `at`, or 0 when it does not end within the message. */
export function skipName(message: Uint8Array, at: number): number {
  for (let next = at; next < message.length; ) {
    const length = message[next] ?? 0;
    if (length === 0) return next + 1;
    if (length >= 0xc0) return next + 2 <= message.length ? next + 2 : 0;
    if (length > 63) return 0;
    next += 1 + length;
  }
  return 0;
}

const none = undefined;
/** The question's name in lower case; shared, since one query is parsed at a time. */
const lowered = Buffer.alloc(256);

/** Copies the name to `lowered`; returns the offset behind it in the message, or 0 when it is invalid. */
function readQuestionName(message: Buffer): number {
  let at = headerLength;
  for (;;) {
    const length = message[at] ?? 64;
    // A pointer is invalid here: nothing stands before the question that it could point at.
    if (length > 63) return 0;
    const end = at + 1 + length;
    if (end > message.length || end - headerLength > 255) return 0;
    lowered[at - headerLength] = length;
    if (length === 0) return end;
    for (let index = at + 1; index < end; index++) {
      const byte = message[index] ?? 0;
      lowered[index - headerLength] = byte >= 65 && byte <= 90 ? byte | 32 : byte;
    }
    at = end;
  }
}

function readEdns(message: Buffer, start: number): Edns | undefined | "malformed" {
  const before = message.readUInt16BE(6) + message.readUInt16BE(8);
  const total = before + message.readUInt16BE(10);
  let edns: Edns | undefined;
  let at = start;
  for (let index = 0; index < total; index++) {
    const body = skipName(message, at);
    if (body === 0 || body + 10 > message.length) return "malformed";
    const next = body + 10 + message.readUInt16BE(body + 8);
    if (next > message.length) return "malformed";
    if (message.readUInt16BE(body) === types.OPT) {
      const isMisplaced = index < before || body !== at + 1 || edns !== undefined;
      if (isMisplaced) return "malformed";
      edns = {
        size: message.readUInt16BE(body + 2),
        version: message[body + 5] ?? 0,
        dnssecOk: ((message[body + 6] ?? 0) & 0x80) !== 0,
      };
    }
    at = next;
  }
  return edns;
}
