// The plan of one family: the identities of all pods, the classes of this node's pods, and the resulting
// elements.

import type { Family } from "../../../base/net/family.ts";
import { type ClassParts, ClassPlan, foreign } from "./class-plan.ts";
import type { ClassFacts } from "./class-rules.ts";
import type { Decision, Traffic } from "./decide.ts";
import { ElementBook, present } from "./element-book.ts";
import { Identities, type Identity, type IdentityFacts } from "./identities.ts";
import { type Direction, type Side, sides } from "./model.ts";
import { Programs } from "./programs.ts";
import type { Reasons } from "./reasons.ts";
import { getOr } from "./selections.ts";

/** A class that a pod belongs to; equal keys are equal classes. */
export interface ClassWish {
  readonly key: string;
  readonly facts: ClassFacts;
}

export type SubjectWish = Readonly<Partial<Record<Side, ClassWish>>>;

export class FamilyPlan {
  readonly family: Family;
  readonly book = new ElementBook();
  readonly #parts: ClassParts;
  readonly #classes = new Map<string, ClassPlan>();
  readonly #byInterest = new Map<number | string, Set<ClassPlan>>();
  /** The classes of each subject: address → side → key of the class. */
  readonly #subjects = new Map<string, Partial<Record<Side, string>>>();

  constructor(family: Family, reasons: Reasons) {
    const { book } = this;
    const identities = new Identities(book);
    this.family = family;
    this.#parts = { family, book, identities, programs: new Programs(book, reasons), reasons };
  }

  /** The number of pod addresses that have policies. */
  get subjects(): number {
    return this.#subjects.size;
  }

  get hasIdle(): boolean {
    return this.#parts.identities.hasIdle || this.#parts.programs.hasIdle;
  }

  /** Sets the facts of a pod's address anywhere in the cluster; undefined removes it. */
  putPeer(address: string, facts: IdentityFacts | undefined): void {
    this.#parts.identities.put(address, facts);
  }

  /** Sets the classes of a pod's address on this node; without a class, all its traffic is allowed. */
  putSubject(address: string, wish: SubjectWish | undefined): void {
    this.book.put("local", address, wish === undefined ? undefined : present);
    const before = this.#subjects.get(address) ?? {};
    const after: Partial<Record<Side, string>> = {};
    for (const side of sides) {
      const wanted = wish?.[side];
      const old = before[side];
      if (wanted !== undefined) after[side] = wanted.key;
      if (wanted?.key === old) continue;
      if (old !== undefined) this.#leave(old, address);
      if (wanted !== undefined) this.#classOf(wanted).add(address);
    }
    if (Object.keys(after).length > 0) this.#subjects.set(address, after);
    else if (this.#subjects.delete(address)) {
      this.book.put("self", `${address} . ${address}`, undefined);
    }
  }

  /** Passes new identities to the classes; to be called when all peers have been put. */
  settle(): void {
    for (const identity of this.#parts.identities.takeBegun()) {
      for (const plan of this.#concerned(identity)) plan.putIdentity(identity);
    }
  }

  /** Removes the elements that no packet can need any more. */
  sweep(): void {
    for (const identity of this.#parts.identities.sweep()) {
      for (const plan of this.#concerned(identity)) plan.removeIdentity(identity);
    }
    this.#parts.programs.sweep();
  }

  /** Returns the decision about traffic; undefined when the pod has no policy in this direction. */
  explain(
    { subject, peer, direction }: { subject: string; peer: string; direction: Direction },
    traffic: Traffic,
  ): Decision | undefined {
    const key = this.#subjects.get(subject)?.[direction];
    return key === undefined ? undefined : this.#classes.get(key)?.explain(peer, traffic);
  }

  classOf(subject: string, side: Side): ClassPlan | undefined {
    const key = this.#subjects.get(subject)?.[side];
    return key === undefined ? undefined : this.#classes.get(key);
  }

  #classOf({ key, facts }: ClassWish): ClassPlan {
    const found = this.#classes.get(key);
    if (found !== undefined) return found;
    const made = new ClassPlan(facts, this.#parts);
    this.#classes.set(key, made);
    for (const one of made.interests) getOr(this.#byInterest, one, () => new Set()).add(made);
    return made;
  }

  /** Returns the classes that may treat an identity differently from other pods. */
  #concerned({ ids, ports, isForeign }: Identity): ReadonlySet<ClassPlan> {
    const interests = [...ids, ...ports.map(({ name }) => name), ...(isForeign ? [foreign] : [])];
    return new Set(interests.flatMap((one) => [...(this.#byInterest.get(one) ?? [])]));
  }

  #leave(key: string, address: string): void {
    const plan = this.#classes.get(key);
    if (plan === undefined) return;
    plan.remove(address);
    if (!plan.isUnused) return;
    for (const one of plan.interests) {
      const interested = this.#byInterest.get(one);
      interested?.delete(plan);
      if (interested?.size === 0) this.#byInterest.delete(one);
    }
    plan.close();
    this.#classes.delete(key);
  }
}
