// Identities of pods as peers: all addresses that the same selections match are one identity. Rules refer to
// identities, so that a pod that comes or goes changes one element.

import type { ElementBook } from "./element-book.ts";
import type { NamedPort } from "./model.ts";
import { numberText } from "./programs.ts";
import { getOr } from "./selections.ts";

export interface IdentityFacts {
  /** The ids of the selections that match it, in ascending order. */
  readonly ids: readonly number[];
  /** The ports of the pod that rules name. */
  readonly ports: readonly NamedPort[];
  /** Whether the address is of a further network, so that "all pods" does not include it. */
  readonly isForeign: boolean;
}

export interface Identity extends IdentityFacts {
  readonly id: number;
}

/** The id for all pods that no rule selects in particular. */
export const anyPod = 1;

/** Returns whether no rule selects the pod in particular. */
export function isPlain({ ids, ports }: IdentityFacts): boolean {
  return ids.length === 0 && ports.length === 0;
}

interface Entry {
  readonly identity: Identity;
  readonly key: string;
  addresses: number;
}

interface Holder {
  readonly facts: IdentityFacts;
  readonly entry: Entry | undefined;
}

export class Identities {
  readonly #book: ElementBook;
  readonly #byKey = new Map<string, Entry>();
  readonly #byAddress = new Map<string, Holder>();
  readonly #bySelection = new Map<number, Set<Identity>>();
  readonly #byPortName = new Map<string, Set<Identity>>();
  readonly #foreign = new Set<Identity>();
  readonly #idle = new Set<Entry>();
  #begun: Identity[] = [];
  #next = 16;

  constructor(book: ElementBook) {
    this.#book = book;
  }

  get hasIdle(): boolean {
    return this.#idle.size > 0;
  }

  factsOf(address: string): IdentityFacts | undefined {
    return this.#byAddress.get(address)?.facts;
  }

  put(address: string, facts: IdentityFacts | undefined): void {
    const before = this.#byAddress.get(address)?.entry;
    const entry = facts === undefined || isPlain(facts) ? undefined : this.#entryOf(facts);
    if (facts === undefined) this.#byAddress.delete(address);
    else this.#byAddress.set(address, { facts, entry });
    const plain = facts === undefined || facts.isForeign ? undefined : anyPod;
    const id = entry?.identity.id ?? plain;
    this.#book.put("identities", address, id === undefined ? undefined : numberText(id));
    if (entry === before) return;
    if (entry !== undefined) entry.addresses++;
    if (before !== undefined && --before.addresses === 0) this.#idle.add(before);
  }

  /** Returns the identities that are new since the last call. */
  takeBegun(): readonly Identity[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }

  /** Returns the identities that a class may treat differently from other pods. */
  concerning(ids: Iterable<number>, names: Iterable<string>, foreign: boolean): Set<Identity> {
    const found = new Set<Identity>(foreign ? this.#foreign : []);
    for (const id of ids) for (const one of this.#bySelection.get(id) ?? []) found.add(one);
    for (const name of names) for (const one of this.#byPortName.get(name) ?? []) found.add(one);
    return found;
  }

  /**
   * Removes the identities that no address has any more, and returns them. This happens with a delay: a
   * packet may be between the element that named an identity and those that decide about it.
   */
  sweep(): readonly Identity[] {
    const ended = [...this.#idle].filter(({ addresses }) => addresses === 0);
    this.#idle.clear();
    for (const { identity, key } of ended) {
      this.#byKey.delete(key);
      for (const set of this.#indexes(identity)) set.delete(identity);
    }
    return ended.map(({ identity }) => identity);
  }

  #entryOf(facts: IdentityFacts): Entry {
    const key = keyOf(facts);
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const identity = { ...facts, id: this.#next++ };
    const entry = { identity, key, addresses: 0 };
    this.#byKey.set(key, entry);
    for (const set of this.#indexes(identity)) set.add(identity);
    this.#begun.push(identity);
    return entry;
  }

  #indexes({ ids, ports, isForeign }: Identity): readonly Set<Identity>[] {
    return [
      ...ids.map((id) => getOr(this.#bySelection, id, () => new Set<Identity>())),
      ...ports.map(({ name }) => getOr(this.#byPortName, name, () => new Set<Identity>())),
      ...(isForeign ? [this.#foreign] : []),
    ];
  }
}

function keyOf({ ids, ports, isForeign }: IdentityFacts): string {
  const named = ports.map(({ name, protocol, port }) => `${name}=${protocol}/${port}`).join();
  return `${ids.join()} ${named} ${isForeign}`;
}
