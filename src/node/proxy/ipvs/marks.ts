// Marks: numbers that stand for a frontend and a group of its clients, where an address cannot tell them
// apart. A packet gets one as its mark, and the kernel's virtual service of that mark serves it.

import { type Frontend, frontendKey } from "../plan/frontend.ts";

/** The first byte of all marks of the proxy, which tells them from others'. */
const signature = 0x7d_00_00_00;
const limit = 0x00_ff_ff_00;

/** The match for packets that carry a mark of the proxy. */
export const carriesMark = `meta mark and 0xff000000 == 0x${signature.toString(16)}`;

/**
 * The mark of the canary, a virtual service without clients: whoever flushes all virtual services removes
 * it as well.
 */
export const canaryMark = signature + limit;

export function isOurMark(mark: number): boolean {
  return mark >= signature && mark <= canaryMark;
}

export function markName(frontend: Frontend, isForOutsiders: boolean): string {
  return `${frontendKey(frontend)}${isForOutsiders ? " outside" : ""}`;
}

/** Gives each name a number, the same as before wherever possible, also after a restart. */
export class Marks {
  readonly #byName = new Map<string, number>();
  readonly #taken = new Set<number>();

  of(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    let mark = hashOf(name);
    while (this.#taken.has(mark)) mark = (mark + 1) % limit;
    this.#taken.add(mark);
    this.#byName.set(name, mark + signature);
    return mark + signature;
  }

  release(name: string): void {
    const mark = this.#byName.get(name);
    if (mark === undefined) return;
    this.#byName.delete(name);
    this.#taken.delete(mark - signature);
  }
}

/** Hashes a name with FNV-1a. */
function hashOf(name: string): number {
  let value = 0x811c9dc5;
  for (const character of name) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return (value >>> 0) % limit;
}
