// The built-in provider: pod CIDRs are parts of the cluster's, and nodes route to each other.

import { isAlreadyExists, isNotFound } from "../../../api/client/errors.ts";
import type { Informer } from "../../../api/client/informer.ts";
import { byOwner } from "../../../api/client/informer.ts";
import { keyOf } from "../../../api/client/objects.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import type { Lease } from "../../../api/types/coordination.ts";
import type { Node } from "../../../api/types/core.ts";
import { Prefix, type SubdividedPrefix } from "../../../base/net/prefix.ts";
import { lowestFreePrefix } from "../../../base/net/range-set.ts";
import type { ControllerBase } from "../context.ts";
import {
  placeOf,
  type Reservation,
  readReservation,
  reservationLabel,
  reservationNamespace,
  reservationOf,
} from "./cidr-reservation.ts";
import { NoCidrLeftError, type NodeProvider } from "./provider.ts";
import { TakenPrefixes } from "./taken-prefixes.ts";

export interface BuiltInOptions {
  /** The cluster's CIDRs, one for each family. */
  readonly parts: readonly SubdividedPrefix[];
}

export class BuiltInProvider implements NodeProvider {
  readonly name = "built-in";
  readonly #options: BuiltInOptions;
  readonly #nodes: ResourceClient<Node>;
  readonly #leases: ResourceClient<Lease>;
  readonly #informers: { readonly nodes: Informer<Node>; readonly leases: Informer<Lease> };
  readonly #taken = new TakenPrefixes();

  constructor({ client, informers }: ControllerBase, options: BuiltInOptions) {
    this.#options = options;
    this.#nodes = client.resource("v1", "Node");
    this.#leases = client.resource("coordination.k8s.io/v1", "Lease");
    const selection = { namespace: reservationNamespace, labelSelector: reservationLabel };
    const nodes = informers.of(this.#nodes);
    const leases = informers.of(this.#leases, { ...selection, indexes: [byOwner] });
    this.#informers = { nodes, leases };
    nodes.subscribe((name) => this.#taken.put(`node ${name}`, cidrsOf(nodes.get(name))));
    leases.subscribe((key) => {
      const lease = leases.get(key);
      const reservation = lease && readReservation(lease);
      this.#taken.put(`lease ${key}`, reservation === undefined ? [] : [reservation.prefix]);
    });
  }

  async podCidrs(node: Node, signal: AbortSignal): Promise<readonly Prefix[]> {
    await Promise.all([this.#informers.nodes.synced, this.#informers.leases.synced]);
    const kept = this.#keptFor(node);
    // A CIDR is reserved in every family or in none.
    for (const part of this.#options.parts) {
      if (!kept.some(({ prefix }) => prefix.family === part.whole.family)) this.#choose(part);
    }
    const found: Prefix[] = [];
    for (const part of this.#options.parts) {
      const own = kept.find(({ prefix }) => prefix.family === part.whole.family);
      found.push(own?.prefix ?? (await this.#reserve(part, node, signal)));
    }
    return found;
  }

  async releaseGone(signal: AbortSignal): Promise<boolean> {
    const { nodes, leases } = this.#informers;
    let isAny = false;
    for (const lease of leases.list()) {
      const reservation = readReservation(lease);
      if (reservation === undefined) continue;
      const node = nodes.get(reservation.node);
      if (node !== undefined && isHeld(reservation, node)) continue;
      // The cache may not yet have a node that a previous leader has served.
      if (await this.#isHeldNow(reservation, signal)) continue;
      await this.#release(lease, signal);
      isAny = true;
    }
    return isAny;
  }

  async #release(lease: Lease, signal: AbortSignal): Promise<void> {
    const { uid = "" } = lease.metadata;
    try {
      await this.#leases.delete(lease.metadata, { preconditions: { uid }, signal });
      this.#taken.put(`lease ${keyOf(lease)}`, []);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #choose(part: SubdividedPrefix): Prefix {
    const free = lowestFreePrefix(part, this.#taken.taken);
    if (free !== undefined) return free;
    throw new NoCidrLeftError(
      `Cannot give the node a pod CIDR from ${part.whole}: all ${part.count} /${part.length} are taken`,
    );
  }

  async #reserve(part: SubdividedPrefix, node: Node, signal: AbortSignal): Promise<Prefix> {
    for (;;) {
      const prefix = this.#choose(part);
      const draft = reservationOf(prefix, node);
      const source = `lease ${reservationNamespace}/${draft.metadata.name}`;
      this.#taken.put(source, [prefix]);
      try {
        await this.#leases.create(draft, { signal });
        return prefix;
      } catch (error) {
        if (!isAlreadyExists(error)) {
          this.#taken.put(source, []);
          throw error;
        }
        // The reservation is another node's, or our own from before a crash; if not ours, the next CIDR is
        // tried.
        const held = await this.#leases.get(placeOf(prefix), { signal });
        if (readReservation(held)?.uid === node.metadata.uid) return prefix;
      }
    }
  }

  #keptFor({ metadata: { uid = "" } }: Node): Reservation[] {
    return this.#informers.leases.by(byOwner, uid).flatMap((lease) => readReservation(lease) ?? []);
  }

  async #isHeldNow(reservation: Reservation, signal: AbortSignal): Promise<boolean> {
    try {
      return isHeld(reservation, await this.#nodes.get({ name: reservation.node }, { signal }));
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

/** Whether a reservation is held by this very node, unless the node has got other CIDRs elsewhere. */
function isHeld({ uid, prefix }: Reservation, { metadata, spec }: Node): boolean {
  const { podCIDRs = [] } = spec;
  return metadata.uid === uid && (podCIDRs.length === 0 || podCIDRs.includes(prefix.toString()));
}

function cidrsOf(node: Node | undefined): Prefix[] {
  return (node?.spec.podCIDRs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
}
