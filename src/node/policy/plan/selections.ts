// The peers that rules name, each once, with how to find those that an address is one of: by namespace, by
// a label of the namespace, or by prefix. Nobody is asked who could not be meant.

import type { LabelFilter } from "../../../api/selectors/label-selector.ts";
import type { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { defaultNetwork, type Peer, type PodAddress, type PodFacts } from "./model.ts";

export type PodPeer = Extract<Peer, { kind: "pods" }>;
export type BlockPeer = Extract<Peer, { kind: "block" }>;

export interface Selection {
  readonly id: number;
  readonly key: string;
  readonly peer: PodPeer | BlockPeer;
  readonly networks: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

export class Selections {
  readonly #byKey = new Map<string, { readonly selection: Selection; uses: number }>();
  /** Those of pods of one namespace. */
  readonly #ofNamespace = new Map<string, Set<Selection>>();
  /** Those of namespaces that have a label of this text; `""` for all others. */
  readonly #ofLabel = new Map<string, Set<Selection>>();
  /** Length of prefixes → their text → those that have them. */
  readonly #blocks = new Map<number, Map<string, Set<Selection>>>();
  readonly #names = new Map<string, number>();
  #next = 16;

  /** Tells whether it is new. */
  acquire(peer: Selection["peer"], networks: readonly string[]): [Selection, isNew: boolean] {
    const key = keyOf(peer, networks);
    const found = this.#byKey.get(key);
    if (found !== undefined) {
      found.uses++;
      return [found.selection, false];
    }
    const selection = { id: this.#next++, key, peer, networks };
    this.#byKey.set(key, { selection, uses: 1 });
    this.#indexOf(selection).add(selection);
    return [selection, true];
  }

  /** Tells whether nobody uses it any more. */
  release(selection: Selection): boolean {
    const found = this.#byKey.get(selection.key);
    if (found === undefined || --found.uses > 0) return false;
    this.#byKey.delete(selection.key);
    this.#indexOf(selection).delete(selection);
    return true;
  }

  /** Uses a name of ports of peers; tells whether it is new. */
  acquireName(name: string): boolean {
    const uses = this.#names.get(name) ?? 0;
    this.#names.set(name, uses + 1);
    return uses === 0;
  }

  releaseName(name: string): boolean {
    const uses = (this.#names.get(name) ?? 0) - 1;
    if (uses > 0) this.#names.set(name, uses);
    else this.#names.delete(name);
    return uses <= 0;
  }

  /** Whether some rule asks for ports of peers by this name. */
  isNamed(name: string): boolean {
    return this.#names.has(name);
  }

  /** Ids of all that an address of a pod is one of, in order. */
  matching(pod: PodFacts, namespace: Labels, at: PodAddress): number[] {
    const ids: number[] = [];
    for (const { id, peer, networks } of this.#candidates(pod.namespace, namespace)) {
      if (!networks.includes(at.network) || peer.kind !== "pods") continue;
      const { namespaces, pods } = peer.selection;
      if (namespaces !== undefined && !namespaces.matchesLabels(namespace)) continue;
      if (pods.matchesLabels(pod.labels)) ids.push(id);
    }
    ids.push(...this.#blocksAround(at.address).map(({ id }) => id));
    return [...new Set(ids)].toSorted((one, other) => one - other);
  }

  /** Of blocks, those that an address is in, whatever network it is of. */
  #blocksAround(address: Address): readonly Selection[] {
    return [...this.#blocks].flatMap(([length, blocks]) => {
      if (length > (address.family === "IPv4" ? 32 : 128)) return [];
      const found = blocks.get(Prefix.of(address, length).toString()) ?? [];
      return [...found].filter(({ peer }) => isInBlock(peer, address));
    });
  }

  *#candidates(name: string, labels: Labels): Generator<Selection> {
    yield* this.#ofNamespace.get(name) ?? [];
    yield* this.#ofLabel.get("") ?? [];
    for (const [key, value] of Object.entries(labels)) {
      yield* this.#ofLabel.get(`${key}=${value}`) ?? [];
    }
  }

  #indexOf({ peer }: Selection): Set<Selection> {
    if (peer.kind === "block") {
      const blocks = getOr(
        this.#blocks,
        peer.block.length,
        () => new Map<string, Set<Selection>>(),
      );
      return getOr(blocks, peer.block.toString(), () => new Set());
    }
    const { namespace, namespaces } = peer.selection;
    if (namespace !== undefined) return getOr(this.#ofNamespace, namespace, () => new Set());
    return getOr(this.#ofLabel, neededLabel(namespaces), () => new Set());
  }
}

/** All pods of the default network: too many to be listed one by one. */
export function isEverybody({ selection }: PodPeer, networks: readonly string[]): boolean {
  const { namespaces, pods } = selection;
  const isAll = namespaces?.text === "" && pods.text === "";
  return isAll && networks.every((network) => network === defaultNetwork);
}

export function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

export function isInBlock(peer: Selection["peer"], address: Address): boolean {
  if (peer.kind !== "block") return false;
  return peer.block.contains(address) && !peer.except.some((hole) => hole.contains(address));
}

/** A label without which no namespace is meant. */
function neededLabel(filter: LabelFilter | undefined): string {
  for (const { key, operator, values } of filter?.requirements ?? []) {
    const isOne = values.length === 1 && ["=", "==", "in"].includes(operator);
    if (isOne) return `${key}=${values[0]}`;
  }
  return "";
}

function keyOf(peer: Selection["peer"], networks: readonly string[]): string {
  const on = networks.join(",");
  if (peer.kind === "block") {
    return `block ${peer.block} except ${peer.except.map(String).toSorted().join(",")} on ${on}`;
  }
  const { namespace, namespaces, pods } = peer.selection;
  const where = namespace === undefined ? `of (${namespaces?.text})` : `in ${namespace}`;
  return `pods (${pods.text}) ${where} on ${on}`;
}
