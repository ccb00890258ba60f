// The plan of a class, which is all pods that have the same policies in one direction: it says which program
// each of their peers gets. Every pod of the class has the same entries under its own address.

import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { type ClassFacts, ClassRules } from "./class-rules.ts";
import { type Decision, decide, type MatchedRules, type Traffic } from "./decide.ts";
import { type ElementBook, present } from "./element-book.ts";
import { anyPod, type Identities, type Identity, isPlain } from "./identities.ts";
import { type Outcome, type Program, programOf } from "./program.ts";
import { numberText, type Programs } from "./programs.ts";
import type { Reasons } from "./reasons.ts";

export interface ClassParts {
  readonly family: Family;
  readonly book: ElementBook;
  readonly identities: Identities;
  readonly programs: Programs;
  readonly reasons: Reasons;
}

/** The interest in addresses of further networks, which "all pods" does not include. */
export const foreign = "";

const plainPod = { ids: [], ports: [], isForeign: false };

export class ClassPlan {
  readonly rules: ClassRules;
  readonly #ids: ReadonlySet<number>;
  readonly #names: ReadonlySet<string>;
  readonly #parts: ClassParts;
  readonly #prefixes: readonly Prefix[];
  /** The entries of each pod of the class: set → the key behind the pod's own address → program. */
  readonly #entries = new Map<string, Map<string, Program>>();
  readonly #subjects = new Set<string>();
  readonly #isOfPods: boolean;
  readonly #ofPods: Program;
  /** The reasons of denials by rules, and by the lack of one. */
  readonly #reasons = new Map<string | undefined, Outcome>();

  constructor(facts: ClassFacts, parts: ClassParts) {
    this.rules = new ClassRules(facts, parts.family);
    this.#parts = parts;
    // The node is no pod, whatever addresses pods may have.
    this.#isOfPods = facts.side !== "node";
    this.#ids = this.#isOfPods ? this.rules.ids : new Set();
    this.#names = this.#isOfPods ? this.rules.names : new Set();
    this.#prefixes = this.rules.prefixes;
    const otherwise = this.#program(this.rules.forPrefix(undefined));
    this.#ofPods = this.#program(this.rules.forPod(plainPod));
    this.#put("subjects", "", otherwise);
    this.#putPrefixes(otherwise);
    if (!this.#isOfPods) return;
    if (this.#ofPods.text !== otherwise.text) this.#put("peers", numberText(anyPod), this.#ofPods);
    const concerned = parts.identities.concerning(this.#ids, this.#names, this.rules.isForPods);
    for (const identity of concerned) this.putIdentity(identity);
  }

  get isUnused(): boolean {
    return this.#subjects.size === 0;
  }

  /** The class's interests in identities: ids of selections, names of ports, and `foreign`. */
  get interests(): readonly (number | string)[] {
    const isForeign = this.#isOfPods && this.rules.isForPods;
    return [...this.#ids, ...this.#names, ...(isForeign ? [foreign] : [])];
  }

  putIdentity(identity: Identity): void {
    const program = this.#program(this.rules.forPod(identity));
    const isUsual = program.text === this.#ofPods.text;
    this.#put("peers", numberText(identity.id), isUsual ? undefined : program);
  }

  removeIdentity({ id }: Identity): void {
    this.#put("peers", numberText(id), undefined);
  }

  add(address: string): void {
    this.#subjects.add(address);
    this.#parts.book.put("self", `${address} . ${address}`, present);
    this.#each((set, rest, id) => this.#write(address, { set, rest }, numberText(id)));
  }

  remove(address: string): void {
    this.#subjects.delete(address);
    this.#each((set, rest) => this.#write(address, { set, rest }, undefined));
  }

  /** Releases the programs of a class that has no subjects any more. */
  close(): void {
    for (const programs of this.#entries.values()) {
      for (const program of programs.values()) this.#parts.programs.release(program);
    }
    this.#entries.clear();
  }

  /** Returns the decision about traffic with a peer, and the rule that made it. */
  explain(peer: string, traffic: Traffic): Decision {
    const facts = this.#parts.identities.factsOf(peer);
    // An address of a further network that no rule selects is treated as one outside of the cluster.
    if (facts !== undefined && !(facts.isForeign && isPlain(facts))) {
      return decide(this.rules.forPod(facts), traffic);
    }
    const address = Address.parse(peer);
    const around = this.#prefixes.findLast((prefix) => prefix.contains(address));
    return decide(this.rules.forPrefix(around), traffic);
  }

  #putPrefixes(otherwise: Program): void {
    const put: { readonly prefix: Prefix; readonly text: string }[] = [];
    for (const prefix of this.#prefixes) {
      const program = this.#program(this.rules.forPrefix(prefix));
      const around = put.findLast((one) => one.prefix.contains(prefix))?.text ?? otherwise.text;
      if (program.text === around) continue;
      put.push({ prefix, text: program.text });
      this.#put(`networks-${prefix.length}`, prefix.first.toString(), program);
    }
  }

  #program(matched: MatchedRules): Program {
    return programOf(matched, (rule) => this.#reasonOf(rule));
  }

  #reasonOf(rule: string | undefined): Outcome {
    const known = this.#reasons.get(rule);
    // A reason ends with the last program that has it.
    if (known !== undefined && this.#parts.reasons.get(known) !== undefined) return known;
    const { facts, isolating } = this.rules;
    const { direction, isAudited } = facts;
    const policies = rule === undefined ? isolating : [rule.slice(0, rule.indexOf(", "))];
    const reason = { direction, ...defined({ rule }), policies, isAudited };
    const id = this.#parts.reasons.idOf(reason);
    this.#reasons.set(rule, id);
    return id;
  }

  #put(set: string, rest: string, program: Program | undefined): void {
    const { programs } = this.#parts;
    const entries = this.#entries.get(set) ?? new Map<string, Program>();
    this.#entries.set(set, entries);
    const before = entries.get(rest);
    if (before?.text === program?.text) return;
    const id = program === undefined ? undefined : programs.acquire(program);
    if (before !== undefined) programs.release(before);
    if (program === undefined) entries.delete(rest);
    else entries.set(rest, program);
    const value = id === undefined ? undefined : numberText(id);
    for (const address of this.#subjects) this.#write(address, { set, rest }, value);
  }

  #each(work: (set: string, rest: string, id: number) => void): void {
    const { programs } = this.#parts;
    for (const [set, entries] of this.#entries) {
      for (const [rest, program] of entries) work(set, rest, programs.idOf(program));
    }
  }

  #write(
    address: string,
    { set, rest }: { readonly set: string; readonly rest: string },
    value: string | undefined,
  ): void {
    const key = rest === "" ? address : `${address} . ${rest}`;
    this.#parts.book.put(`${this.rules.facts.side}-${set}`, key, value);
  }
}
