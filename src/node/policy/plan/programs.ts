// The programs in use, each once, and their elements.

import type { ElementBook } from "./element-book.ts";
import { blocksOf, type Outcome, type Program, passes } from "./program.ts";
import type { Reasons } from "./reasons.ts";

/** The id of the program that lets everything pass. */
const passesAll = 1;
/** The number of ports up to which each is an element: one lookup finds it, where blocks take several. */
const mostPorts = 256;

/** Formats a number as nft writes the type classid. */
export function numberText(id: number): string {
  return `${(id >>> 16).toString(16)}:${(id & 0xffff).toString(16)}`;
}

export class Programs {
  readonly #book: ElementBook;
  readonly #reasons: Reasons;
  readonly #byText = new Map<
    string,
    { readonly id: number; readonly program: Program; uses: number }
  >();
  readonly #idle = new Set<string>();
  #next = 16;

  constructor(book: ElementBook, reasons: Reasons) {
    this.#book = book;
    this.#reasons = reasons;
  }

  /** Returns the id of a program and keeps its elements until it is released. */
  acquire(program: Program): number {
    if (program.text === String(passes)) return passesAll;
    const found = this.#byText.get(program.text);
    if (found !== undefined) {
      found.uses++;
      this.#idle.delete(program.text);
      return found.id;
    }
    const id = this.#next++;
    this.#byText.set(program.text, { id, program, uses: 1 });
    for (const outcome of outcomesOf(program)) this.#reasons.retain(outcome);
    this.#write(id, program, (outcome) => numberText(outcome));
    return id;
  }

  /** Returns the id of a program in use. */
  idOf({ text }: Program): number {
    return this.#byText.get(text)?.id ?? passesAll;
  }

  release(program: Program): void {
    const found = this.#byText.get(program.text);
    if (found !== undefined && --found.uses === 0) this.#idle.add(program.text);
  }

  /**
   * Removes the programs that are no longer used. This happens with a delay: a packet may be between the
   * element that named a program and those of the program itself.
   */
  sweep(): void {
    for (const text of this.#idle) {
      const found = this.#byText.get(text);
      if (found === undefined) continue;
      this.#byText.delete(text);
      this.#write(found.id, found.program, () => undefined);
      for (const outcome of outcomesOf(found.program)) this.#reasons.release(outcome);
    }
    this.#idle.clear();
  }

  get hasIdle(): boolean {
    return this.#idle.size > 0;
  }

  #write(id: number, program: Program, valueOf: (outcome: Outcome) => string | undefined): void {
    const number = numberText(id);
    this.#book.put("programs", number, valueOf(program.otherwise));
    for (const [protocol, outcome] of program.protocols) {
      this.#book.put("protocols", `${number} . ${protocol}`, valueOf(outcome));
    }
    const isShort = sizeOf(program) <= mostPorts;
    for (const { protocol, from, to, outcome } of program.ranges) {
      for (const { first, length } of isShort ? portsOf(from, to) : blocksOf(from, to)) {
        const set = length === 16 ? "ports" : `port-blocks-${length}`;
        this.#book.put(set, `${number} . ${protocol} . ${first}`, valueOf(outcome));
      }
    }
  }
}

function sizeOf({ ranges }: Program): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

function portsOf(from: number, to: number): readonly { first: number; length: number }[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({ first: from + index, length: 16 }));
}

function outcomesOf({ otherwise, protocols, ranges }: Program): ReadonlySet<Outcome> {
  return new Set([otherwise, ...protocols.values(), ...ranges.map(({ outcome }) => outcome)]);
}
