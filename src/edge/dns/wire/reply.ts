// Writes replies: a header, the question as it was asked, and sections encoded before.

import { flags, rcodes } from "./codes.ts";
import { headerLength, type Query, type Refusal, skipName } from "./query.ts";
import { emptySections, type Sections } from "./sections.ts";

export interface Reply {
  readonly rcode: number;
  readonly isAuthoritative: boolean;
  readonly sections: Sections;
  /** Whether the upstream validated the answer with DNSSEC (the AD flag). */
  readonly isAuthentic?: boolean;
}

export interface ReplyOptions {
  /** The largest message that may be sent. */
  readonly limit: number;
  readonly recursionAvailable: boolean;
  /** The counter that rotates which of several addresses comes first. */
  readonly turn: number;
}

/** The largest datagram that is sent: one that passes every network without fragmentation. */
export const largestDatagram = 1232;
const smallestDatagram = 512;
const optLength = 11;

/** The largest reply that the client accepts in one datagram. */
export function datagramLimit({ edns }: Query): number {
  return Math.min(largestDatagram, Math.max(smallestDatagram, edns?.size ?? 0));
}

export function refuse(refusal: Refusal): Buffer {
  const message = Buffer.alloc(headerLength);
  const kept = refusal.flags & (flags.opcode | flags.recursionDesired | flags.checkingDisabled);
  message.writeUInt16BE(refusal.id, 0);
  message.writeUInt16BE(flags.response | kept | refusal.rcode, 2);
  return message;
}

export function writeReply(query: Query, reply: Reply, options: ReplyOptions): Buffer {
  const { sections } = reply;
  const { end, edns } = query;
  const opt = edns === undefined ? 0 : optLength;
  const length = end + sections.bytes.length + opt;
  if (length > options.limit || sections.isCut) return writeShortened(query, reply, options);
  const message = Buffer.allocUnsafe(length);
  writeHead(message, query, { reply, options, sections, isTruncated: false });
  putRotated(message, end, sections, options.turn);
  if (edns !== undefined) writeOpt(message, length - opt, { edns, rcode: reply.rcode });
  return message;
}

interface Head {
  readonly reply: Reply;
  readonly options: ReplyOptions;
  readonly sections: Pick<Sections, "answers" | "authorities" | "additionals">;
  readonly isTruncated: boolean;
}

function writeHead(message: Buffer, query: Query, head: Head): void {
  const { reply, options, sections, isTruncated } = head;
  const word =
    flags.response |
    (query.flags & (flags.recursionDesired | flags.checkingDisabled)) |
    (reply.isAuthoritative ? flags.authoritative : 0) |
    (reply.isAuthentic === true ? flags.authenticData : 0) |
    (options.recursionAvailable ? flags.recursionAvailable : 0) |
    (isTruncated ? flags.truncated : 0) |
    (reply.rcode & flags.rcode);
  query.message.copy(message, 0, 0, query.end);
  message.writeUInt16BE(word, 2);
  message.writeUInt16BE(sections.answers, 6);
  message.writeUInt16BE(sections.authorities, 8);
  message.writeUInt16BE(sections.additionals + (query.edns === undefined ? 0 : 1), 10);
}

/** Writes the answers rotated, so that each reply begins with another address. */
function putRotated(message: Buffer, at: number, sections: Sections, turn: number): void {
  const { bytes, stride, answers } = sections;
  if (stride === 0) {
    message.write(bytes, at, "latin1");
    return;
  }
  const all = stride * answers;
  const first = (turn % answers) * stride;
  message.write(bytes.slice(first, all), at, "latin1");
  message.write(bytes.slice(0, first), at + all - first, "latin1");
  if (bytes.length > all) message.write(bytes.slice(all), at + all, "latin1");
}

/** Writes a truncated reply: drops additional and authority records first, then answers. */
function writeShortened(query: Query, reply: Reply, options: ReplyOptions): Buffer {
  const { end, edns } = query;
  const { sections } = reply;
  const opt = edns === undefined ? 0 : optLength;
  const whole = Buffer.allocUnsafe(end + sections.bytes.length);
  putRotated(whole, end, sections, options.turn);
  const needed = sections.answers + sections.authorities;
  let at = end;
  let kept = 0;
  for (; kept < needed + sections.additionals; kept++) {
    const next = recordEnd(whole, at);
    if (next === 0 || next + opt > options.limit) break;
    at = next;
  }
  const isTruncated = kept < needed || sections.isCut;
  const answers = Math.min(kept, sections.answers);
  const authorities = Math.min(kept - answers, sections.authorities);
  const counts = { answers, authorities, additionals: Math.max(0, kept - needed) };
  const message = Buffer.allocUnsafe(at + opt);
  whole.copy(message, end, end, at);
  writeHead(message, query, { reply, options, sections: counts, isTruncated });
  if (edns !== undefined) writeOpt(message, at, { edns, rcode: reply.rcode });
  return message;
}

function recordEnd(message: Buffer, at: number): number {
  const body = skipName(message, at);
  return body === 0 || body + 10 > message.length ? 0 : body + 10 + message.readUInt16BE(body + 8);
}

function writeOpt(
  message: Buffer,
  at: number,
  { edns, rcode }: { edns: NonNullable<Query["edns"]>; rcode: number },
): void {
  message.fill(0, at, at + optLength);
  message[at + 2] = 41;
  message.writeUInt16BE(largestDatagram, at + 3);
  message[at + 5] = rcode >> 4;
  // RFC 3225: the DO bit is copied from the query.
  message[at + 7] = edns.dnssecOk ? 0x80 : 0;
}

export function errorReply(rcode: number): Reply {
  return { rcode, isAuthoritative: false, sections: emptySections };
}

export const serverFailure: Reply = errorReply(rcodes.SERVFAIL);
