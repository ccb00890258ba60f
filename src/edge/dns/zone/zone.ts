// The zone of the cluster: names and their records, as answers that only need to be copied.

import { types } from "../wire/codes.ts";
import { isWithin, type Name, nameOf, parentOf, under } from "../wire/name.ts";
import { type DnsRecord, recordKey, typeOf } from "../wire/record.ts";
import { encodeSections, type Sections } from "../wire/sections.ts";

export interface ZoneOptions {
  readonly domain: Name;
  /** The TTL in seconds. */
  readonly ttl: number;
  /** The first serial; it grows with every change. */
  readonly serial: number;
}

export class Zone {
  readonly domain: Name;
  readonly ttl: number;
  readonly #nodes = new Map<Name, ZoneNode>();
  readonly #kept = new Set<Name>();
  readonly #recordsOf = new Map<string, readonly DnsRecord[]>();
  /** The reverse zones, for whose names this server answers that they do not exist. */
  readonly #reverse = ["in-addr.arpa", "ip6.arpa"].map(nameOf);
  #negatives = new Map<string, Sections>();
  #serial: number;

  constructor({ domain, ttl, serial }: ZoneOptions) {
    this.domain = domain;
    this.ttl = ttl;
    this.#serial = serial;
    const self: DnsRecord = {
      name: domain,
      ttl,
      data: { kind: "nameServer", target: this.#server },
    };
    this.#node(domain).add("", [self]);
  }

  get serial(): number {
    return this.#serial;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(name: Name): ZoneNode | undefined {
    return this.#nodes.get(name);
  }

  contains(name: Name): boolean {
    return isWithin(name, this.domain);
  }

  /** Replaces the records of an owner. */
  replace(owner: string, records: readonly DnsRecord[]): void {
    const before = this.#recordsOf.get(owner) ?? [];
    if (areSame(before, records)) return;
    this.#serial = (this.#serial + 1) >>> 0;
    this.#negatives = new Map();
    this.#nodes.get(this.domain)?.forget();
    const names = new Set(before.map(({ name }) => name));
    for (const name of names) this.#nodes.get(name)?.remove(owner);
    for (const [name, own] of Map.groupBy(records, (record) => record.name)) {
      this.#node(name).add(owner, own);
    }
    for (const name of names) this.#prune(name);
    if (records.length === 0) this.#recordsOf.delete(owner);
    else this.#recordsOf.set(owner, [...records]);
  }

  /** Makes a name exist, with or without records, until it is released. */
  keep(name: Name): void {
    if (this.#kept.has(name)) return;
    this.#kept.add(name);
    this.#node(name);
  }

  release(name: Name): void {
    if (this.#kept.delete(name)) this.#prune(name);
  }

  /** The answer with all records of the type, or of every type for ANY; undefined when there are none. */
  answer(node: ZoneNode, type: number): Sections | undefined {
    const known = node.answer(type);
    if (known !== undefined) return known;
    const answers = this.records(node, type);
    if (answers.length === 0) return undefined;
    const sections = encodeSections(node.name, {
      answers,
      additionals: type === types.SRV ? this.#addressesOf(answers) : [],
    });
    node.remember(type, sections);
    return sections;
  }

  records(node: ZoneNode, type: number): DnsRecord[] {
    const found = node.records().filter(({ data }) => type === types.ANY || typeOf(data) === type);
    if (node.name === this.domain && (type === types.SOA || type === types.ANY)) {
      found.unshift(this.#authority(this.domain));
    }
    return found;
  }

  /** The negative answer: the SOA of the zone that the name is in. */
  negative(name: Name): Sections {
    const apex = this.apexOf(name);
    // The bytes depend only on the offset in the question at which the zone's name begins.
    const key = `${name.length - apex.length} ${apex}`;
    const known = this.#negatives.get(key);
    if (known !== undefined) return known;
    const sections = encodeSections(name, { authorities: [this.#authority(apex)] });
    this.#negatives.set(key, sections);
    return sections;
  }

  authorityFor(name: Name): DnsRecord {
    return this.#authority(this.apexOf(name));
  }

  apexOf(name: Name): Name {
    return this.#reverse.find((zone) => isWithin(name, zone)) ?? this.domain;
  }

  get #server(): Name {
    return under("ns", under("dns", this.domain));
  }

  #authority(name: Name): DnsRecord {
    const authority = {
      server: this.#server,
      mailbox: under("hostmaster", this.domain),
      serial: this.#serial,
      negativeTtl: this.ttl,
    };
    return { name, ttl: this.ttl, data: { kind: "authority", authority } };
  }

  #addressesOf(services: readonly DnsRecord[]): DnsRecord[] {
    const targets = new Set(
      services.flatMap(({ data }) => (data.kind === "service" ? [data.target] : [])),
    );
    return [...targets].flatMap((target) =>
      (this.#nodes.get(target)?.records() ?? []).filter(({ data }) => data.kind === "address"),
    );
  }

  /** The node of a name, created with those above it: these exist as well, if without records. */
  #node(name: Name): ZoneNode {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const node = new ZoneNode(name);
    this.#nodes.set(name, node);
    if (!this.#isTop(name)) this.#node(parentOf(name)).children += 1;
    return node;
  }

  #prune(name: Name): void {
    const node = this.#nodes.get(name);
    if (node === undefined || node.children > 0 || !node.isEmpty) return;
    if (this.#kept.has(name)) return;
    this.#nodes.delete(name);
    if (this.#isTop(name)) return;
    const parent = this.#nodes.get(parentOf(name));
    if (parent === undefined) return;
    parent.children -= 1;
    this.#prune(parent.name);
  }

  /** Whether a name is the top of its tree; other servers answer for the names above PTR names. */
  #isTop(name: Name): boolean {
    return name === this.domain || !this.contains(name);
  }
}

/** A name with its records. There are several for every service and pod, so it is kept small. */
export class ZoneNode {
  readonly name: Name;
  /** The number of names right below this one. */
  children = 0;
  #owned: readonly Owned[] = none;
  /** The encoded answers, made when first asked for; most names are only asked for addresses. */
  #answers: readonly Answer[] = none;

  constructor(name: Name) {
    this.name = name;
  }

  get isEmpty(): boolean {
    return this.#owned.length === 0;
  }

  get alias(): DnsRecord | undefined {
    const first = this.#owned[0]?.records[0];
    return first?.data.kind === "alias" ? first : undefined;
  }

  records(): DnsRecord[] {
    return this.#owned.flatMap(({ records }) => records);
  }

  add(owner: string, records: readonly DnsRecord[]): void {
    this.#owned = this.#owned.concat({ owner, records: [...records] });
    this.forget();
  }

  remove(owner: string): void {
    this.#owned = this.#owned.filter((each) => each.owner !== owner);
    this.forget();
  }

  answer(type: number): Sections | undefined {
    for (const each of this.#answers) if (each.type === type) return each.sections;
    return undefined;
  }

  remember(type: number, sections: Sections): void {
    this.#answers = this.#answers.concat({ type, sections });
  }

  forget(): void {
    this.#answers = none;
  }
}

interface Owned {
  readonly owner: string;
  readonly records: readonly DnsRecord[];
}

interface Answer {
  readonly type: number;
  readonly sections: Sections;
}

const none: readonly never[] = [];

function areSame(some: readonly DnsRecord[], others: readonly DnsRecord[]): boolean {
  if (some.length !== others.length) return false;
  return some.every((record, index) => {
    const other = others[index];
    return other !== undefined && recordKey(record) === recordKey(other);
  });
}
