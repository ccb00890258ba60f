/** Chains in which several frontends have rules, each under a key of its own. */
export class SharedChains {
  readonly #chains = new Map<string, Map<string, readonly string[]>>();
  readonly #touched = new Set<string>();

  get names(): Iterable<string> {
    return this.#chains.keys();
  }

  set(chain: string, entry: string, rules: readonly string[]): void {
    const entries = this.#chains.get(chain) ?? new Map<string, readonly string[]>();
    if ((entries.get(entry) ?? []).join("\n") === rules.join("\n")) return;
    this.#chains.set(chain, entries);
    this.#touched.add(chain);
    if (rules.length > 0) entries.set(entry, rules);
    else entries.delete(entry);
  }

  /** Returns the rules of a chain sorted by their keys, in whatever order they were set. */
  rules(chain: string): readonly string[] {
    return [...(this.#chains.get(chain) ?? [])]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, rules]) => rules);
  }

  /** Returns the chains whose rules have changed since the last call. */
  takeTouched(): readonly string[] {
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }
}
