// The reasons of denials, each with the number that the kernel counts denied packets by.

import type { Outcome } from "./program.ts";

export interface Reason {
  readonly direction: "ingress" | "egress";
  /** The policy and rule that denies; absent when no rule of these policies allows the packet. */
  readonly rule?: string;
  readonly policies: readonly string[];
  /** Whether the namespace is in audit mode: the packet would be denied, but passes. */
  readonly isAudited: boolean;
}

/** The bit in the numbers of reasons that are audited only. */
export const auditBit = 0x8000_0000;
/** The bit in the numbers of reasons, which tells them from those of programs. */
export const reasonBit = 0x4000_0000;

interface Entry {
  readonly id: Outcome;
  readonly text: string;
  readonly reason: Reason;
  uses: number;
}

export class Reasons {
  readonly #byText = new Map<string, Entry>();
  readonly #byId = new Map<Outcome, Entry>();
  #next = 16;

  idOf(reason: Reason): Outcome {
    const text = JSON.stringify(reason);
    const found = this.#byText.get(text);
    if (found !== undefined) return found.id;
    const id = (this.#next++ + reasonBit + (reason.isAudited ? auditBit : 0)) >>> 0;
    const entry = { id, text, reason, uses: 0 };
    this.#byText.set(text, entry);
    this.#byId.set(id, entry);
    return id;
  }

  get(id: Outcome): Reason | undefined {
    return this.#byId.get(id)?.reason;
  }

  retain(id: Outcome): void {
    const entry = this.#byId.get(id);
    if (entry !== undefined) entry.uses++;
  }

  release(id: Outcome): void {
    const entry = this.#byId.get(id);
    if (entry === undefined || --entry.uses > 0) return;
    this.#byText.delete(entry.text);
    this.#byId.delete(id);
  }
}
