// The selections, which are the distinct peers of all rules. Indexes by namespace, by a label of the
// namespace and by prefix find those that may match an address, so that no others have to be checked.

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
  /** The selections of pods in one namespace, by its name. */
  readonly #ofNamespace = new Map<string, Set<Selection>>();
  /** The selections by a namespace label that they require; `""` for those that require none. */
  readonly #ofLabel = new Map<string, Set<Selection>>();
  /** The selections of blocks: length of the prefix → its text → selections. */
  readonly #blocks = new Map<number, Map<string, Set<Selection>>>();
  readonly #names = new Map<string, number>();
  #next = 16;

  /** Returns the selection of a peer, and whether it is new. */
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

  /** Releases a selection; returns whether it is no longer used. */
  release(selection: Selection): boolean {
    const found = this.#byKey.get(selection.key);
    if (found === undefined || --found.uses > 0) return false;
    this.#byKey.delete(selection.key);
    this.#indexOf(selection).delete(selection);
    return true;
  }

  /** Acquires a name of peers' ports; returns whether it is new. */
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

  /** Returns whether a rule refers to peers' ports by this name. */
  isNamed(name: string): boolean {
    return this.#names.has(name);
  }

  /** Returns the ids of all selections that match a pod's address, in ascending order. */
  matching(pod: PodFacts, namespace: Labels, at: PodAddress): number[] {
    const ids: number[] = [];
    for (const candidates of this.#candidates(pod.namespace, namespace)) {
      for (const { id, peer, networks } of candidates) {
        if (!networks.includes(at.network) || peer.kind !== "pods") continue;
        const { namespaces, pods } = peer.selection;
        if (namespaces !== undefined && !namespaces.matchesLabels(namespace)) continue;
        if (pods.matchesLabels(pod.labels)) ids.push(id);
      }
    }
    if (this.#blocks.size > 0) for (const { id } of this.#blocksAround(at.address)) ids.push(id);
    return ids.sort((one, other) => one - other);
  }

  /** Returns the block selections that contain an address, whatever its network. */
  #blocksAround(address: Address): readonly Selection[] {
    return [...this.#blocks].flatMap(([length, blocks]) => {
      if (length > (address.family === "IPv4" ? 32 : 128)) return [];
      const found = blocks.get(Prefix.of(address, length).toString()) ?? [];
      return [...found].filter(({ peer }) => isInBlock(peer, address));
    });
  }

  /** Returns the sets of selections that may match pods of a namespace; no selection is in two of them. */
  #candidates(name: string, labels: Labels): readonly ReadonlySet<Selection>[] {
    const found = [this.#ofNamespace.get(name), this.#ofLabel.get("")];
    if (this.#ofLabel.size > 0) {
      for (const [key, value] of Object.entries(labels)) {
        found.push(this.#ofLabel.get(`${key}=${value}`));
      }
    }
    return found.filter((set) => set !== undefined);
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

/** Returns whether the peer is all pods of the default network: too many to be listed one by one. */
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

/** Returns a label that a namespace must have to match, or "". */
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
