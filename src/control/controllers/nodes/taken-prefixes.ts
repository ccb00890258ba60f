import type { Prefix } from "../../../base/net/prefix.ts";
import { AddressTree, type Taken } from "../../../base/net/range-set.ts";

/** Prefixes that are taken, by source; several sources may name the same, or overlapping ones. */
export class TakenPrefixes {
  readonly #bySource = new Map<string, readonly Prefix[]>();
  /** The index; `undefined` after a removal, since another source may still hold what was removed. */
  #tree: AddressTree | undefined;

  put(source: string, prefixes: readonly Prefix[]): void {
    const before = this.#bySource.get(source) ?? [];
    if (before.join() === prefixes.join()) return;
    if (prefixes.length === 0) this.#bySource.delete(source);
    else this.#bySource.set(source, prefixes);
    if (before.length > 0) this.#tree = undefined;
    for (const prefix of prefixes) this.#tree?.add(prefix);
  }

  get taken(): Taken {
    this.#tree ??= new AddressTree([...this.#bySource.values()].flat());
    return this.#tree;
  }
}
