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

export class Reasons {
  readonly #byText = new Map<string, { readonly id: Outcome; uses: number }>();
  readonly #byId = new Map<Outcome, Reason>();
  #next = 16;

  idOf(reason: Reason): Outcome {
    const text = JSON.stringify(reason);
    const found = this.#byText.get(text);
    if (found !== undefined) return found.id;
    const id = (this.#next++ + (reason.isAudited ? auditBit : 0)) >>> 0;
    this.#byText.set(text, { id, uses: 0 });
    this.#byId.set(id, reason);
    return id;
  }

  get(id: Outcome): Reason | undefined {
    return this.#byId.get(id);
  }

  retain(id: Outcome): void {
    const entry = this.#entry(id);
    if (entry !== undefined) entry.uses++;
  }

  release(id: Outcome): void {
    const entry = this.#entry(id);
    if (entry === undefined || --entry.uses > 0) return;
    this.#byText.delete(JSON.stringify(this.#byId.get(id)));
    this.#byId.delete(id);
  }

  #entry(id: Outcome): { uses: number } | undefined {
    const reason = this.#byId.get(id);
    return reason === undefined ? undefined : this.#byText.get(JSON.stringify(reason));
  }
}
