// One family's virtual services, addresses and elements in the kernel, and the steps to change them.

import type { Family } from "../../../base/net/family.ts";
import type { Frontend } from "../plan/frontend.ts";
import type { FrontendChange } from "../plan/frontend-table.ts";
import { TableLedger } from "../table/ledger.ts";
import { type Words, wordsOf } from "../table/words.ts";
import { UseCounts } from "../use-counts.ts";
import { noParts, type Parts, partsOf, type WantedService } from "./elements.ts";
import type { Connections } from "./ipvs-admin.ts";
import { tableName } from "./layout.ts";
import { Marks, markName } from "./marks.ts";
import { changeLines, type Lines, type VirtualService } from "./virtual-service.ts";

/** The steps of a change, in this order: add, direct packets there, remove. */
export interface Steps {
  readonly addresses: { readonly begun: readonly string[]; readonly ended: readonly string[] };
  readonly services: Lines;
  /** The commands of one nft transaction. */
  readonly rules: readonly string[];
  /** The services that have draining servers afterwards. */
  readonly draining: readonly string[];
}

interface Options {
  readonly family: Family;
  readonly scheduler: string;
  readonly nodeAddresses?: readonly string[];
  /** The state found in the kernel. */
  readonly found?: Found;
}

export interface Found {
  readonly services: ReadonlyMap<string, VirtualService>;
  /** The keys of the services that are the proxy's. */
  readonly own: ReadonlySet<string>;
  /** The addresses of the proxy's device. */
  readonly addresses: readonly string[];
}

const nothing: Found = { services: new Map(), own: new Set(), addresses: [] };

export class IpvsLedger {
  readonly words: Words;
  readonly #family: Family;
  readonly #scheduler: string;
  readonly #marks = new Marks();
  readonly #table: TableLedger;
  readonly #addresses = new UseCounts<string>();
  readonly #services = new Map<string, VirtualService>();
  /** The services with draining servers, which are kept only for the connections they have. */
  readonly #draining = new Set<string>();
  readonly #nodeAddresses: readonly string[];
  readonly #found: Found;

  constructor({ family, scheduler, nodeAddresses = [], found = nothing }: Options) {
    this.#family = family;
    this.#scheduler = scheduler;
    this.#nodeAddresses = nodeAddresses;
    this.#found = found;
    this.words = wordsOf(family, tableName);
    this.#table = new TableLedger(family, this.words);
  }

  get size(): number {
    const servers = [...this.#services.values()].map((service) => service.servers.size);
    return servers.reduce((sum, count) => sum + count, this.#table.size);
  }

  get draining(): readonly string[] {
    return [...this.#draining];
  }

  /** Returns the steps from the state found in the kernel to these frontends. */
  fill(frontends: readonly Frontend[]): Steps {
    const { services, own, addresses } = this.#found;
    for (const address of addresses) this.#addresses.add(address);
    this.#addresses.takeChanges();
    // Services with the same keys count as found, even if another program has made them.
    for (const { key } of frontends.flatMap((one) => this.#partsOf(one).services)) {
      this.#adopt(services.get(key));
    }
    for (const key of own) this.#adopt(services.get(key));
    const untouched = new Set(this.#services.keys());
    const changes = frontends.map((after) => ({ before: undefined, after }));
    const steps = this.#change(changes, untouched);
    const removing = [...untouched].flatMap((key) => this.#set(key, undefined).removing);
    for (const address of addresses) this.#addresses.remove(address);
    const { ended } = this.#addresses.takeChanges();
    return {
      ...steps,
      addresses: { ...steps.addresses, ended },
      services: { ...steps.services, removing: [...steps.services.removing, ...removing] },
    };
  }

  change(changes: Iterable<FrontendChange>): Steps {
    return this.#change(changes, new Set());
  }

  #adopt(service: VirtualService | undefined): void {
    if (service !== undefined) this.#services.set(service.key, service);
  }

  /** Removes draining servers that have no connections any more. */
  release(connections: Connections): readonly string[] {
    return [...connections].flatMap(([key, counts]) => {
      const service = this.#services.get(key);
      if (service === undefined || !this.#draining.has(key)) return [];
      const kept = [...service.servers].filter(
        ([server, weight]) => weight > 0 || (counts.get(server) ?? 0) > 0,
      );
      return this.#set(key, { ...service, servers: new Map(kept) }).removing;
    });
  }

  takeIdle(): readonly string[] {
    return this.#table.takeIdle();
  }

  #change(changes: Iterable<FrontendChange>, untouched: Set<string>): Steps {
    const adding: string[] = [];
    const removing: string[] = [];
    const touched = new Set<string>();
    for (const { before, after } of changes) {
      const old = this.#partsOf(before);
      const wanted = this.#partsOf(after);
      this.#table.change(old.elements, wanted.elements);
      for (const address of wanted.addresses) this.#addresses.add(address);
      for (const address of old.addresses) this.#addresses.remove(address);
      const keys = new Set(wanted.services.map(({ key }) => key));
      const gone = old.services.filter(({ key }) => !keys.has(key));
      const lines = [
        ...wanted.services.map((service) => this.#set(service.key, this.#merged(service))),
        ...gone.map(({ key }) => this.#set(key, undefined)),
      ];
      for (const line of lines) {
        adding.push(...line.adding);
        removing.push(...line.removing);
      }
      for (const key of keys) {
        untouched.delete(key);
        touched.add(key);
      }
      if (before !== undefined && after === undefined) this.#releaseMarks(before);
    }
    return {
      addresses: this.#addresses.takeChanges(),
      services: { adding, removing },
      rules: this.#table.takeCommands(),
      draining: [...touched].filter((key) => this.#draining.has(key)),
    };
  }

  #partsOf(frontend: Frontend | undefined): Parts {
    if (frontend === undefined) return noParts;
    return partsOf(frontend, {
      family: this.#family,
      scheduler: this.#scheduler,
      marks: this.#marks,
      nodeAddresses: this.#nodeAddresses,
    });
  }

  #releaseMarks(frontend: Frontend): void {
    for (const isForOutsiders of [false, true]) {
      this.#marks.release(markName(frontend, isForOutsiders));
    }
  }

  /** Adds the servers that are draining, with weight 0, to a wanted service. */
  #merged({ key, settings, servers, keepers, drains }: WantedService): VirtualService {
    const leaving = [...(this.#services.get(key)?.servers.keys() ?? [])].filter(
      (server) => drains || keepers.has(server),
    );
    const weights = [
      ...leaving.map((server) => [server, 0] as const),
      ...servers.map((server) => [server, 1] as const),
    ];
    return { key, settings, servers: new Map(weights) };
  }

  /** Sets a virtual service; one without servers is removed. */
  #set(key: string, wanted: VirtualService | undefined): Lines {
    const before = this.#services.get(key);
    const after = wanted?.servers.size === 0 ? undefined : wanted;
    if (after === undefined) this.#services.delete(key);
    else this.#services.set(key, after);
    const isDraining = after !== undefined && [...after.servers.values()].includes(0);
    if (isDraining) this.#draining.add(key);
    else this.#draining.delete(key);
    return changeLines(before, after);
  }
}
