// All frontends of one family. Where several services claim the same address and port, one of them gets
// it: a map of the kernel refuses two entries with one key, and with them the whole transaction.

import { type Frontend, frontendKey, frontendKinds, sameFrontend } from "./frontend.ts";

export interface FrontendChange {
  readonly before: Frontend | undefined;
  readonly after: Frontend | undefined;
}

/** The changed frontends, by `frontendKey`. */
export type Delta = ReadonlyMap<string, FrontendChange>;

/** A service, as far as precedence goes. */
export interface Claimant {
  readonly key: string;
  /** The creation time; the oldest service has precedence. */
  readonly since: string;
}

/** A frontend that a service does not get, since another service has it. */
export interface Loss {
  readonly frontend: Frontend;
  readonly winner: string;
}

interface Claim {
  readonly claimant: Claimant;
  readonly frontend: Frontend;
}

export class FrontendTable {
  /** The claims by frontend key; the first claim wins. */
  readonly #claims = new Map<string, readonly Claim[]>();
  readonly #keysOf = new Map<string, readonly string[]>();
  /** The frontends touched since the last `takeDelta`, as they were then. */
  readonly #touched = new Map<string, Frontend | undefined>();

  get size(): number {
    return this.#claims.size;
  }

  get(key: string): Frontend | undefined {
    return this.#claims.get(key)?.[0]?.frontend;
  }

  *all(): Generator<readonly [string, Frontend]> {
    for (const [key, [first]] of this.#claims) if (first !== undefined) yield [key, first.frontend];
  }

  /** Replaces the claims of a service. Returns the other services that won or lost a frontend by it. */
  set(claimant: Claimant, frontends: readonly Frontend[]): ReadonlySet<string> {
    const claims = new Map(
      frontends.map((frontend) => [frontendKey(frontend), { claimant, frontend }]),
    );
    const before = this.#keysOf.get(claimant.key) ?? [];
    if (claims.size > 0) this.#keysOf.set(claimant.key, [...claims.keys()]);
    else this.#keysOf.delete(claimant.key);
    const others = new Set<string>();
    for (const key of new Set([...before, ...claims.keys()])) {
      for (const other of this.#setClaim(key, { claimant, claim: claims.get(key) }))
        others.add(other);
    }
    return others;
  }

  losses(claimantKey: string): Loss[] {
    return (this.#keysOf.get(claimantKey) ?? []).flatMap((key) => {
      const claims = this.#claims.get(key) ?? [];
      const winner = claims[0]?.claimant.key ?? claimantKey;
      const lost = claims.find(({ claimant }) => claimant.key === claimantKey);
      return lost === undefined || winner === claimantKey
        ? []
        : [{ frontend: lost.frontend, winner }];
    });
  }

  /** Returns the changes since the last call. */
  takeDelta(): Delta {
    const delta = new Map<string, FrontendChange>();
    for (const [key, before] of this.#touched) {
      const after = this.get(key);
      if (before !== after) delta.set(key, { before, after });
    }
    this.#touched.clear();
    return delta;
  }

  #setClaim(
    key: string,
    { claimant, claim }: { claimant: Claimant; claim: Claim | undefined },
  ): readonly string[] {
    const before = this.#claims.get(key) ?? [];
    const own = before.find((one) => one.claimant.key === claimant.key);
    if (own !== undefined && claim !== undefined && own.claimant.since === claimant.since) {
      if (sameFrontend(own.frontend, claim.frontend)) return [];
    }
    const others = before.filter((one) => one !== own);
    const after = claim === undefined ? others : [...others, claim];
    if (after.length > 1) after.sort(compareClaims);
    if (!this.#touched.has(key)) this.#touched.set(key, before[0]?.frontend);
    if (after.length === 0) this.#claims.delete(key);
    else this.#claims.set(key, after);
    return others.map((one) => one.claimant.key);
  }
}

function compareClaims(one: Claim, other: Claim): number {
  const kind = ({ frontend }: Claim): number => frontendKinds.indexOf(frontend.kind);
  return (
    kind(one) - kind(other) ||
    compareText(one.claimant.since, other.claimant.since) ||
    compareText(one.claimant.key, other.claimant.key)
  );
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
