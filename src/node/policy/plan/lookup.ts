// Simulates the kernel's decision about a packet: the same lookups in the same order as the table's chains.

import { Address } from "../../../base/net/address.ts";
import { bitsOf } from "../../../base/net/family.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { Traffic } from "./decide.ts";
import type { ElementBook } from "./element-book.ts";
import type { Side } from "./model.ts";
import { type Outcome, passes } from "./program.ts";

export interface Question extends Traffic {
  readonly side: Side;
  /** The address of the pod whose policies decide. */
  readonly subject: string;
  readonly peer: string;
}

/** Returns the outcome; undefined when the pod has no policy in this direction. */
export function lookUp(book: ElementBook, question: Question): Outcome | undefined {
  const { side, subject, peer } = question;
  const otherwise = book.get(`${side}-subjects`, subject);
  if (otherwise === undefined) return undefined;
  const identity = side === "node" ? undefined : book.get("identities", peer);
  const found =
    identity === undefined
      ? networkOf(book, question)
      : (book.get(`${side}-peers`, `${subject} . ${identity}`) ??
        book.get(`${side}-peers`, `${subject} . 0:1`));
  return outcomeOf(book, found ?? otherwise, question);
}

function networkOf(book: ElementBook, { side, subject, peer }: Question): string | undefined {
  const address = Address.parse(peer);
  for (let length = bitsOf(address.family); length >= 0; length--) {
    const key = `${subject} . ${Prefix.of(address, length).first.toString()}`;
    const found = book.get(`${side}-networks-${length}`, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function outcomeOf(book: ElementBook, program: string, { protocol, port }: Question): Outcome {
  if (program === "0:1") return passes;
  const found =
    book.get("ports", `${program} . ${protocol} . ${port}`) ??
    blockOf(book, `${program} . ${protocol}`, port) ??
    book.get("protocols", `${program} . ${protocol}`) ??
    book.get("programs", program);
  return found === undefined ? 0 : numberOf(found);
}

function blockOf(book: ElementBook, start: string, port: number): string | undefined {
  for (let length = 15; length >= 0; length--) {
    const masked = (port >> (16 - length)) << (16 - length);
    const found = book.get(`port-blocks-${length}`, `${start} . ${masked}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Parses a number as nft writes it. */
function numberOf(text: string): Outcome {
  const [high = "0", low = "0"] = text.split(":");
  return Number.parseInt(high, 16) * 0x1_0000 + Number.parseInt(low, 16);
}
