// Decides when a recount may lower what the API server has charged. The server charges a quota before it writes
// the object, so a recount right after a charge may miss the object: lowering the charge then would let further
// objects through.
import { nanosOf } from "../../../api/fields/quantity.ts";

type Amounts = Readonly<Record<string, string>>;

export interface Recount {
  /** The version of the quota, which changes with every charge. */
  readonly version: string;
  readonly charged: Amounts;
  readonly counted: Amounts;
  readonly nowMs: number;
}

export interface GivenBack {
  readonly used: Record<string, string>;
  /** When to count again, if amounts were kept that may be too high. */
  readonly againInMs?: number;
}

interface Note {
  readonly version: string;
  readonly sinceMs: number;
  /** When the count was first lower than the charge; later counts were lower, too. */
  readonly lowerSinceMs: number | undefined;
}

/** How long a quota must have been left alone until its objects have surely arrived. */
const settledMs = 1000;
/** How long a quota that is charged all the time keeps what may be too high. */
const longestMs = 5000;

export class GiveBack {
  readonly #notes = new Map<string, Note>();

  decide(key: string, { version, charged, counted, nowMs }: Recount): GivenBack {
    const before = this.#notes.get(key);
    const sinceMs = before?.version === version ? before.sinceMs : nowMs;
    const isLower = (name: string, amount: string) =>
      charged[name] !== undefined && nanosOf(charged[name]) > nanosOf(amount);
    const hasLower = Object.entries(counted).some(([name, amount]) => isLower(name, amount));
    const lowerSinceMs = hasLower ? (before?.lowerSinceMs ?? nowMs) : undefined;
    this.#notes.set(key, { version, sinceMs, lowerSinceMs });
    if (lowerSinceMs === undefined) return { used: { ...counted } };
    const waitMs = Math.min(sinceMs + settledMs, lowerSinceMs + longestMs) - nowMs;
    if (waitMs <= 0) return { used: { ...counted } };
    const kept = Object.entries(counted).map(([name, amount]) => [
      name,
      isLower(name, amount) ? charged[name] : amount,
    ]);
    return { used: Object.fromEntries(kept) as Record<string, string>, againInMs: waitMs };
  }

  forget(key: string): void {
    this.#notes.delete(key);
  }
}
