// Address allocation: a pure function of what all services request and hold, and of the pools.

import type { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { AddressTree, lowestFree, type RangeSet } from "../../../base/net/range-set.ts";
import type { Claim } from "./claim.ts";
import type { AllocationProblem } from "./problem.ts";
import { type Pool, poolHas } from "./read-pool.ts";

export interface Allocation {
  /** The addresses, in the order of the families the service wants. */
  readonly addresses: readonly Address[];
  readonly problems: readonly AllocationProblem[];
}

export interface Surroundings {
  readonly pools: readonly Pool[];
  /** The addresses of nodes, which no service can have. */
  readonly reserved: RangeSet;
}

/**
 * Allocates addresses to claims, oldest first. A service keeps what it holds and may hold, whoever else
 * requests it; then requests are granted, then the lowest free addresses are assigned.
 */
export function allocate(
  claims: readonly Claim[],
  surroundings: Surroundings,
): Map<string, Allocation> {
  const book = new Book(surroundings);
  const chosen = new Map(claims.map((claim) => [claim.key, new Map<Family, Address>()]));
  const take = (claim: Claim, address: Address | undefined): void => {
    if (address === undefined) return;
    book.take(claim, address);
    chosen.get(claim.key)?.set(address.family, address);
  };
  for (const claim of claims) {
    for (const family of claim.families) take(claim, keptAddress(claim, family, book));
  }
  const result = new Map<string, Allocation>();
  for (const claim of claims) {
    const problems = [...claim.problems];
    const own = chosen.get(claim.key);
    for (const family of claim.families) {
      if (own?.has(family) !== true) take(claim, newAddress(claim, family, { book, problems }));
    }
    const addresses = claim.families.flatMap((family) => own?.get(family) ?? []);
    result.set(claim.key, { addresses, problems });
  }
  return result;
}

function keptAddress(claim: Claim, family: Family, book: Book): Address | undefined {
  const requested = claim.requested.find((address) => address.family === family);
  return claim.held.find(
    (address) =>
      address.family === family &&
      (requested ?? address).equals(address) &&
      book.poolFor(claim, address) !== undefined &&
      book.obstacle(claim, address) === undefined,
  );
}

function newAddress(
  claim: Claim,
  family: Family,
  { book, problems }: { book: Book; problems: AllocationProblem[] },
): Address | undefined {
  const requested = claim.requested.find((address) => address.family === family);
  if (requested === undefined) return book.free(claim, family, problems);
  if (book.poolFor(claim, requested) === undefined) {
    const message = `Cannot assign ${requested}: no pool that the service may use has it`;
    problems.push({ reason: "NotInPool", message });
    return undefined;
  }
  const obstacle = book.obstacle(claim, requested);
  if (obstacle === undefined) return requested;
  problems.push({ reason: "Taken", message: `Cannot assign ${requested}: ${obstacle}` });
  return undefined;
}

/** The addresses taken so far, and by whom. */
class Book {
  readonly #surroundings: Surroundings;
  readonly #taken = new AddressTree();
  readonly #holders = new Map<string, { readonly address: Address; readonly claims: Claim[] }>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  take(claim: Claim, address: Address): void {
    const holders = this.#holders.get(address.toString()) ?? { address, claims: [] };
    holders.claims.push(claim);
    this.#holders.set(address.toString(), holders);
    this.#taken.add(address);
  }

  poolFor(claim: Claim, address: Address): Pool | undefined {
    return this.#poolsOf(claim).find((pool) => poolHas(pool, address));
  }

  /** The reason why the claim cannot have the address; undefined when it can. */
  obstacle(claim: Claim, address: Address): string | undefined {
    if (this.#surroundings.reserved.contains(address)) return "it is the address of a node";
    for (const other of this.#holders.get(address.toString())?.claims ?? []) {
      if (claim.sharingKey === undefined || claim.sharingKey !== other.sharingKey) {
        return `${other.key} has it`;
      }
      const clash = claim.ports.find((port) => other.ports.includes(port));
      if (clash !== undefined) return `${other.key}, which shares it, has port ${clash}, too`;
    }
    return undefined;
  }

  free(claim: Claim, family: Family, problems: AllocationProblem[]): Address | undefined {
    const pools = this.#poolsOf(claim).filter(({ isAutomatic, ranges }) => {
      return isAutomatic && [...ranges].some((range) => range.family === family);
    });
    const found = this.#shared(claim, family) ?? this.#lowest(pools, family);
    if (found !== undefined) return found;
    if (pools.length > 0) {
      const names = pools.map(({ name }) => name).join(", ");
      const message = `Cannot assign an ${family} address: none is free in ${names}`;
      problems.push({ reason: "Exhausted", message });
    } else if (claim.needed.includes(family)) {
      const message = `Cannot assign an ${family} address: no pool has any for the service`;
      problems.push({ reason: "NoPool", message });
    }
    return undefined;
  }

  #shared(claim: Claim, family: Family): Address | undefined {
    if (claim.sharingKey === undefined) return undefined;
    for (const { address, claims } of this.#holders.values()) {
      if (address.family !== family || claims[0]?.sharingKey !== claim.sharingKey) continue;
      const isFit = this.poolFor(claim, address) && this.obstacle(claim, address) === undefined;
      if (isFit) return address;
    }
    return undefined;
  }

  #lowest(pools: readonly Pool[], family: Family): Address | undefined {
    for (const { ranges } of pools) {
      for (const range of ranges) {
        if (range.family !== family) continue;
        const found = lowestFree(range, this.#taken, this.#surroundings.reserved);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  #poolsOf({ labels, namespaceLabels }: Claim): readonly Pool[] {
    return this.#surroundings.pools.filter(({ admits }) => admits(labels, namespaceLabels));
  }
}
