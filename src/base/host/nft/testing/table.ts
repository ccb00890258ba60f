import type { NftElement, NftTable } from "../../nft.ts";
import { keyText } from "./elements.ts";
import { alreadyExists, busy, malformed, notFound, notSupported, tooMany } from "./refusal.ts";
import type { ChainSpec, SetSpec } from "./specs.ts";

export interface Rule {
  readonly text: string;
  readonly uses: readonly string[];
}

export interface Chain {
  readonly spec: ChainSpec;
  readonly rules: readonly Rule[];
}

export interface ElementSet {
  readonly kind: "set" | "map";
  readonly spec: SetSpec;
  readonly elements: Map<string, NftElement>;
}

/** A table as the kernel would keep it. Sets and maps share one name space, as they do there. */
export class Table {
  readonly id: NftTable;
  settings: string;
  readonly chains = new Map<string, Chain>();
  readonly sets = new Map<string, ElementSet>();
  /** Counters, quotas and the like: `counter hits` and its specification. */
  readonly objects = new Map<string, string>();
  /** The number of references to `chain web`, `set hosts` or `counter hits`. */
  readonly #uses = new Map<string, number>();

  constructor(id: NftTable, settings = "") {
    this.id = id;
    this.settings = settings;
  }

  clone(): Table {
    const copy = new Table(this.id, this.settings);
    for (const [name, chain] of this.chains) copy.chains.set(name, chain);
    for (const [name, set] of this.sets) {
      copy.sets.set(name, { ...set, elements: new Map(set.elements) });
    }
    for (const [name, object] of this.objects) copy.objects.set(name, object);
    for (const [name, count] of this.#uses) copy.#uses.set(name, count);
    return copy;
  }

  chain(name: string): Chain {
    return this.chains.get(name) ?? notFound();
  }

  set(name: string): ElementSet {
    return this.sets.get(name) ?? notFound();
  }

  addChain(name: string, spec: ChainSpec): void {
    const found = this.chains.get(name);
    if (spec.policy !== undefined && (spec.hook ?? found?.spec.hook) === undefined) notSupported();
    if (found !== undefined && spec.hook !== undefined && found.spec.hook !== spec.hook) {
      if (found.spec.hook === undefined) alreadyExists();
      notSupported();
    }
    const policy = spec.policy === undefined ? {} : { policy: spec.policy };
    this.chains.set(name, {
      spec: found === undefined ? spec : { ...found.spec, ...policy },
      rules: found?.rules ?? [],
    });
  }

  deleteChain(name: string): void {
    this.flushChain(name);
    this.#checkUnused(`chain ${name}`);
    this.chains.delete(name);
  }

  flushChain(name: string): void {
    for (const rule of this.chain(name).rules) this.#release(rule.uses);
    this.chains.set(name, { spec: this.chain(name).spec, rules: [] });
  }

  /** Inserts a rule before the one at this place. */
  placeRule(chainName: string, rule: Rule, place: number): void {
    const { spec, rules } = this.chain(chainName);
    if (place > rules.length) notFound();
    this.#claim(rule.uses);
    this.chains.set(chainName, { spec, rules: rules.toSpliced(place, 0, rule) });
  }

  addSet(name: string, set: Omit<ElementSet, "elements">): void {
    const found = this.sets.get(name);
    if (found === undefined) this.sets.set(name, { ...set, elements: new Map() });
    else if (found.spec.definition !== set.spec.definition) alreadyExists();
  }

  deleteSet(name: string): void {
    this.#checkUnused(`set ${name}`);
    this.flushSet(name);
    this.sets.delete(name);
  }

  flushSet(name: string): void {
    const { elements } = this.set(name);
    for (const element of elements.values()) this.#release(usesOf(element));
    elements.clear();
  }

  hasElement(setName: string, element: NftElement): boolean {
    return this.set(setName).elements.has(keyText(element));
  }

  addElement(setName: string, element: NftElement): void {
    const { elements, spec, kind } = this.set(setName);
    if (
      element.key.length !== spec.keyParts ||
      (element.value !== undefined) !== (kind === "map")
    ) {
      malformed(`${keyText(element)} does not fit ${kind} ${setName}`);
    }
    const key = keyText(element);
    const found = elements.get(key);
    if (found !== undefined) {
      if (found.value?.join() !== element.value?.join()) alreadyExists();
      return;
    }
    if (spec.size !== undefined && elements.size >= spec.size) tooMany();
    this.#claim(usesOf(element));
    elements.set(key, element);
  }

  deleteElement(setName: string, element: NftElement): void {
    const { elements } = this.set(setName);
    const key = keyText(element);
    this.#release(usesOf(elements.get(key) ?? notFound()));
    elements.delete(key);
  }

  deleteObject(name: string): void {
    if (!this.objects.has(name)) notFound();
    this.#checkUnused(name);
    this.objects.delete(name);
  }

  #checkUnused(name: string): void {
    if ((this.#uses.get(name) ?? 0) > 0) busy();
  }

  #claim(uses: readonly string[]): void {
    for (const use of uses) {
      this.#checkUsable(use);
      this.#uses.set(use, (this.#uses.get(use) ?? 0) + 1);
    }
  }

  #release(uses: readonly string[]): void {
    for (const use of uses) this.#uses.set(use, (this.#uses.get(use) ?? 0) - 1);
  }

  #checkUsable(use: string): void {
    const [kind = "", name = ""] = use.split(" ");
    if (kind === "chain" && this.chain(name).spec.hook !== undefined) notSupported();
    if (kind === "set" && !this.objects.has(`flowtable ${name}`)) this.set(name);
    if (kind !== "chain" && kind !== "set" && !this.objects.has(use)) notFound();
  }
}

function usesOf({ value = [] }: NftElement): readonly string[] {
  return value.flatMap((part) => {
    const target = /^(?:jump|goto) (\S+)$/.exec(part)?.[1];
    return target === undefined ? [] : [`chain ${target}`];
  });
}
