// Encodes the sections behind the question. Where the question ends depends on its name alone, so the bytes
// for a name can be made once and copied behind every question for it.

import { bitsOf } from "../../../base/net/family.ts";
import { classes } from "./codes.ts";
import type { Name } from "./name.ts";
import { headerLength } from "./query.ts";
import { type DnsRecord, type RecordData, typeOf } from "./record.ts";

export interface Sections {
  /** The bytes, as characters of a string: many answers are kept, and a buffer takes ten times the memory. */
  readonly bytes: string;
  readonly answers: number;
  readonly authorities: number;
  readonly additionals: number;
  /** The size of each answer when all are alike and may be rotated, else 0. */
  readonly stride: number;
  /** Whether records were left out, since a message cannot hold them. */
  readonly isCut: boolean;
}

export interface SectionRecords {
  readonly answers?: readonly DnsRecord[];
  readonly authorities?: readonly DnsRecord[];
  readonly additionals?: readonly DnsRecord[];
}

export const emptySections: Sections = {
  bytes: "",
  answers: 0,
  authorities: 0,
  additionals: 0,
  stride: 0,
  isCut: false,
};

export function encodeSections(question: Name, records: SectionRecords): Sections {
  const { answers = [], authorities = [], additionals = [] } = records;
  const writer = new Writer(question);
  const counts = [answers, authorities, additionals].map((section) => writer.writeAll(section));
  const [answerCount = 0, authorityCount = 0, additionalCount = 0] = counts;
  return {
    bytes: writer.bytes(),
    answers: answerCount,
    authorities: authorityCount,
    additionals: additionalCount,
    stride: strideOf(question, answers),
    isCut: answerCount < answers.length || authorityCount < authorities.length,
  };
}

/** The stride of answers: those to the question itself are a pointer and an address, all of one length. */
function strideOf(question: Name, answers: readonly DnsRecord[]): number {
  const first = answers[0]?.data;
  if (answers.length < 2 || first?.kind !== "address") return 0;
  const { family } = first.address;
  const areAlike = answers.every(
    ({ name, data }) =>
      name === question && data.kind === "address" && data.address.family === family,
  );
  return areAlike ? 12 + bitsOf(family) / 8 : 0;
}

/** The capacity behind the longest question of the longest message, with room for an OPT record. */
const capacity = 65_535 - headerLength - 260 - 11;
const longestPointer = 0x3fff;
/** The buffer that records are written to; shared, since one set is written at a time. */
const scratch = Buffer.alloc(capacity + 1024);

class Writer {
  /** The offsets of names in the message that compression pointers can refer to. */
  readonly #offsets = new Map<Name, number>();
  readonly #start: number;
  #at = 0;

  constructor(question: Name) {
    this.#start = headerLength + question.length + 1 + 4;
    for (let at = 0; at < question.length; at += 1 + question.charCodeAt(at)) {
      this.#offsets.set(question.slice(at), headerLength + at);
    }
  }

  bytes(): string {
    return scratch.toString("latin1", 0, this.#at);
  }

  /** Writes records, and returns how many there was room for. */
  writeAll(records: readonly DnsRecord[]): number {
    for (const [index, record] of records.entries()) {
      const before = this.#at;
      this.#write(record);
      if (this.#at > capacity) {
        this.#at = before;
        return index;
      }
    }
    return records.length;
  }

  #write({ name, ttl, data }: DnsRecord): void {
    this.#name(name, true);
    this.#word(typeOf(data));
    this.#word(classes.IN);
    this.#double(ttl);
    const lengthAt = this.#at;
    this.#at += 2;
    this.#data(data);
    scratch.writeUInt16BE(this.#at - lengthAt - 2, lengthAt);
  }

  #data(data: RecordData): void {
    switch (data.kind) {
      case "address":
        this.#value(data.address.value, bitsOf(data.address.family) / 8);
        break;
      case "service":
        this.#word(0);
        this.#word(data.weight);
        this.#word(data.port);
        // RFC 2782 forbids compression of these names.
        this.#name(data.target, false);
        break;
      case "text":
        scratch[this.#at++] = Math.min(255, data.text.length);
        this.#at += scratch.write(data.text.slice(0, 255), this.#at, "latin1");
        break;
      case "authority":
        this.#name(data.authority.server, true);
        this.#name(data.authority.mailbox, true);
        for (const value of [data.authority.serial, 7200, 1800, 86_400]) this.#double(value);
        this.#double(data.authority.negativeTtl);
        break;
      case "opaque":
        if (data.bytes.length <= capacity - this.#at) scratch.set(data.bytes, this.#at);
        this.#at += data.bytes.length;
        break;
      default:
        this.#name(data.target, true);
    }
  }

  #name(name: Name, isCompressed: boolean): void {
    for (let at = 0; at < name.length; ) {
      const rest = name.slice(at);
      const known = isCompressed ? this.#offsets.get(rest) : undefined;
      if (known !== undefined) {
        this.#word(0xc000 | known);
        return;
      }
      const offset = this.#start + this.#at;
      if (offset <= longestPointer && !this.#offsets.has(rest)) this.#offsets.set(rest, offset);
      const next = at + 1 + name.charCodeAt(at);
      this.#at += scratch.write(name.slice(at, next), this.#at, "latin1");
      at = next;
    }
    scratch[this.#at++] = 0;
  }

  #word(value: number): void {
    this.#at = scratch.writeUInt16BE(value, this.#at);
  }

  #double(value: number): void {
    this.#at = scratch.writeUInt32BE(value >>> 0, this.#at);
  }

  #value(value: bigint, bytes: number): void {
    let rest = value;
    for (let index = bytes - 1; index >= 0; index--) {
      scratch[this.#at + index] = Number(rest & 0xffn);
      rest >>= 8n;
    }
    this.#at += bytes;
  }
}
