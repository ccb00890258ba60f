// Parses upstream answers far enough to pass them on: the bytes behind the question are kept as they are,
// since all their pointers lead into the question or into themselves.

import { classes, flags, types } from "./codes.ts";
import type { Name } from "./name.ts";
import { headerLength, skipName } from "./query.ts";
import type { DnsRecord } from "./record.ts";
import type { Sections } from "./sections.ts";

export interface Question {
  readonly name: Name;
  readonly type: number;
}

export interface UpstreamAnswer {
  readonly id: number;
  readonly rcode: number;
  readonly isTruncated: boolean;
  readonly isAuthentic: boolean;
  readonly sections: Sections;
  /** The offsets of the TTLs in the sections. */
  readonly ttlOffsets: readonly number[];
  /** The seconds for which the whole answer may be cached. */
  readonly ttl: number;
}

/** Parses an answer; undefined when it is malformed or not the answer to this question. */
export function readUpstreamAnswer(
  message: Buffer,
  question: Question,
): UpstreamAnswer | undefined {
  if (message.length < headerLength) return undefined;
  const word = message.readUInt16BE(2);
  if ((word & flags.response) === 0 || message.readUInt16BE(4) !== 1) return undefined;
  const start = headerLength + question.name.length + 5;
  if (message.length < start || !isQuestion(message, question)) return undefined;
  const records = readRecords(message, start);
  if (records === undefined) return undefined;
  const counts = { answers: 0, authorities: 0, additionals: 0 };
  const ttlOffsets: number[] = [];
  let ttl = Number.POSITIVE_INFINITY;
  let end = start;
  for (const record of records) {
    // The OPT record is hop-by-hop and is dropped; what follows is dropped with it, since offsets would
    // shift.
    if (record.type === types.OPT) break;
    counts[record.section] += 1;
    ttlOffsets.push(record.ttlAt - start);
    const isSoa = record.section === "authorities" && record.type === types.SOA;
    const own = message.readUInt32BE(record.ttlAt) & 0x7fffffff;
    const lasts = isSoa ? Math.min(own, message.readUInt32BE(record.end - 4)) : own;
    if (record.section === "answers" || isSoa) ttl = Math.min(ttl, lasts);
    end = record.end;
  }
  const bytes = message.toString("latin1", start, end);
  return {
    id: message.readUInt16BE(0),
    rcode: word & flags.rcode,
    isTruncated: (word & flags.truncated) !== 0,
    isAuthentic: (word & flags.authenticData) !== 0,
    sections: { bytes, ...counts, stride: 0, isCut: false },
    ttlOffsets,
    ttl: Number.isFinite(ttl) ? ttl : 0,
  };
}

/** The answers as records, which can be encoded behind any question. */
export function answerRecords({ name }: Question, { bytes, answers }: Sections): DnsRecord[] {
  const start = headerLength + name.length + 5;
  const message = Buffer.alloc(start + bytes.length);
  message.writeUInt16BE(answers, 6);
  message.write(name, headerLength, "latin1");
  message.write(bytes, start, "latin1");
  return (readRecords(message, start) ?? []).flatMap((record) => decode(message, record));
}

interface RawRecord {
  readonly section: "answers" | "authorities" | "additionals";
  readonly at: number;
  readonly type: number;
  readonly class: number;
  readonly ttlAt: number;
  readonly end: number;
}

function isQuestion(message: Buffer, { name, type }: Question): boolean {
  const end = headerLength + name.length;
  const asked = message.toString("latin1", headerLength, end);
  const isSame = asked.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) === name;
  return (
    isSame &&
    message[end] === 0 &&
    message.readUInt16BE(end + 1) === type &&
    message.readUInt16BE(end + 3) === classes.IN
  );
}

function readRecords(message: Buffer, start: number): RawRecord[] | undefined {
  const records: RawRecord[] = [];
  let at = start;
  for (const [index, section] of (["answers", "authorities", "additionals"] as const).entries()) {
    for (let left = message.readUInt16BE(6 + 2 * index); left > 0; left--) {
      const body = skipName(message, at);
      if (body === 0 || body + 10 > message.length) return undefined;
      const end = body + 10 + message.readUInt16BE(body + 8);
      if (end > message.length) return undefined;
      const type = message.readUInt16BE(body);
      if (type === types.SOA && end - body < 32) return undefined;
      const recordClass = message.readUInt16BE(body + 2);
      records.push({ section, at, type, class: recordClass, ttlAt: body + 4, end });
      at = end;
    }
  }
  return records;
}

/** The number of fixed bytes, and of names behind them, in data whose names may be compressed. */
const namesInData = new Map<number, { readonly before: number; readonly names: number }>([
  [types.NS, { before: 0, names: 1 }],
  [types.PTR, { before: 0, names: 1 }],
  [types.DNAME, { before: 0, names: 1 }],
  [types.MX, { before: 2, names: 1 }],
  [types.SRV, { before: 6, names: 1 }],
  [types.SOA, { before: 0, names: 2 }],
]);

function decode(message: Buffer, record: RawRecord): DnsRecord[] {
  const ttl = message.readUInt32BE(record.ttlAt);
  const name = readName(message, record.at);
  const start = record.ttlAt + 6;
  if (name === undefined || record.class !== classes.IN) return [];
  if (record.type === types.CNAME) {
    const target = readName(message, start);
    return target === undefined ? [] : [{ name, ttl, data: { kind: "alias", target } }];
  }
  const { before = 0, names = 0 } = namesInData.get(record.type) ?? {};
  const parts: Uint8Array[] = [message.subarray(start, start + before)];
  let at = start + before;
  for (let index = 0; index < names; index++) {
    const target = readName(message, at);
    if (target === undefined) return [];
    parts.push(Buffer.from(`${target}\0`, "latin1"));
    at = skipName(message, at);
  }
  if (at === 0 || at > record.end) return [];
  parts.push(message.subarray(at, record.end));
  const bytes = Buffer.concat(parts);
  return [{ name, ttl, data: { kind: "opaque", type: record.type, bytes } }];
}

/** Reads a name through its pointers, which only ever lead backwards. */
function readName(message: Buffer, start: number): Name | undefined {
  let name = "";
  let at = start;
  let limit = start;
  for (;;) {
    const length = message[at];
    if (length === undefined || name.length > 254) return undefined;
    if (length === 0) return name;
    if (length >= 0xc0) {
      const target = ((length & 0x3f) << 8) | (message[at + 1] ?? 0);
      if (target >= limit) return undefined;
      limit = target;
      at = target;
    } else if (length > 63) {
      return undefined;
    } else {
      const label = message.toString("latin1", at + 1, at + 1 + length);
      name += String.fromCharCode(length);
      name += label.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
      at += 1 + length;
    }
  }
}
