import { isAlreadyExists, isConflict, isNotFound } from "../../../../api/client/errors.ts";
import type { KubernetesSettings } from "../../config/datastore.ts";
import type { Change } from "../optimistic/ledger.ts";
import { type Backend, Optimistic, type SlicesRead } from "../optimistic/optimistic.ts";
import { systemChance } from "../optimistic/persist.ts";
import type { DatastoreParts } from "../parts.ts";
import {
  byPoolAndAddress,
  type Datastore,
  type LivingOwners,
  type Pool,
  type Reservation,
  type Scope,
  type Slice,
  type SliceTable,
} from "../port.ts";
import { guardOf } from "../spaces.ts";
import { openAccess } from "./access.system.ts";
import { Api, isUnknownOutcome, toIpamError } from "./api.ts";
import { KubernetesLedger, type PoolWrite } from "./kubernetes-ledger.ts";
import { NodeSlices } from "./node-slices.ts";
import {
  type Overlap,
  overlapAddress,
  overlapsPath,
  possibleNames,
  strayName,
  strayReservation,
} from "./overlap-object.ts";
import { Overlaps } from "./overlaps.ts";
import { addressesInUse, type Pod } from "./pod-addresses.ts";
import { type IpPool, poolFrom, poolsPath, reservationsOf } from "./pool-object.ts";

/** Opens the datastore in a cluster's API, in whereabouts' format. */
export async function openKubernetes(
  settings: KubernetesSettings,
  parts: DatastoreParts,
): Promise<Datastore> {
  return kubernetesDatastore(await Api.open(await openAccess(settings)), parts);
}

export function kubernetesDatastore(api: Api, parts: DatastoreParts): Datastore {
  return new Optimistic(new KubernetesBackend(api), systemChance(parts));
}

class KubernetesBackend implements Backend<KubernetesLedger> {
  readonly batchLimit = 64;
  readonly #api: Api;
  readonly #overlaps: Overlaps;
  readonly #slices: NodeSlices;
  /** The reservations that this process stored in a pool although another pool has the address. */
  readonly #contested = new Set<Reservation>();
  /** The ledger that was committed last. */
  #memory: KubernetesLedger | undefined;
  /** The number of commits until the memory is used again. */
  #distrust = 0;
  /**
   * Whether ranges of different pools overlap: once that is seen, the taken addresses of other pools are
   * read as well.
   */
  #rangesOverlap = false;

  constructor(api: Api) {
    this.#api = api;
    this.#overlaps = new Overlaps(api);
    this.#slices = new NodeSlices(api);
  }

  read(scopes: readonly Scope[]): Promise<KubernetesLedger> {
    return attempt(async () => {
      const pools = new Map(
        scopes.flatMap((scope) => scope.pools).map((pool) => [pool.name, pool]),
      );
      const ledger = new KubernetesLedger();
      await Promise.all(pools.values().map((pool) => this.#load(ledger, pool)));
      if (this.#rangesOverlap) await this.#loadOverlaps(ledger, pools.values());
      for (const reservation of this.#contested) ledger.contest(reservation);
      return ledger;
    });
  }

  /**
   * Hands out the last ledger and forgets it: its user may change it, so nobody else gets it until that
   * is committed.
   */
  recall(scopes: readonly Scope[]): KubernetesLedger | undefined {
    const memory = this.#memory;
    this.#memory = undefined;
    const isComplete = scopes.every(({ pools }) => pools.every((pool) => memory?.hasPool(pool)));
    return isComplete && !this.#rangesOverlap && this.#contested.size === 0 ? memory : undefined;
  }

  /**
   * Stores a ledger. An overlap object, which keeps an address from other pools, is created after its
   * allocation and deleted before it. So, whenever this process dies, a DEL or the next ADD of the same
   * pod finds everything that was left.
   */
  commit(ledger: KubernetesLedger): Promise<boolean> {
    return attempt(async () => {
      await this.#overlaps.release(ledger.changes());
      const writes = ledger.writes();
      const stored = await Promise.all(writes.map((write) => this.#store(write, ledger)));
      if (stored.includes(false)) {
        this.#distrust = commitsUntilTrust;
        return false;
      }
      for (const reservation of ledger.contested) this.#contested.delete(reservation);
      this.#remember(ledger);
      return true;
    });
  }

  finish(changes: readonly Change[]): Promise<boolean> {
    return attempt(async () => {
      const contested = await this.#overlaps.take(changes);
      for (const reservation of contested) this.#contested.add(reservation);
      this.#rangesOverlap ||= contested.length > 0;
      return contested.length === 0;
    });
  }

  reservations(): Promise<Reservation[]> {
    return attempt(async () => {
      const objects = await this.#api.list<IpPool>(poolsPath(this.#api.namespace));
      const reservations = objects.flatMap((object) => reservationsOf(object, poolFrom(object)));
      const known = new Set(reservations.flatMap(possibleNames));
      const overlaps = await this.#api.list<Overlap>(overlapsPath(this.#api.namespace));
      const strays = overlaps.filter(({ metadata }) => !known.has(metadata.name));
      return [
        ...reservations.toSorted(byPoolAndAddress),
        ...strays.flatMap((one) => strayReservation(one) ?? []),
      ];
    });
  }

  livingOwners(): Promise<LivingOwners> {
    return attempt(async () => {
      const pods = await this.#api.list<Pod>("/api/v1/pods");
      const isOver = ({ status }: Pod) => ["Succeeded", "Failed"].includes(status?.phase ?? "");
      const living = pods.filter((pod) => !isOver(pod));
      return new Map(
        living.map((pod) => [
          `${pod.metadata.namespace}/${pod.metadata.name}`,
          addressesInUse(pod),
        ]),
      );
    });
  }

  readSlices(table: SliceTable): Promise<SlicesRead> {
    return attempt(() => this.#slices.read(table));
  }

  releaseSlices(): Promise<readonly Slice[]> {
    return attempt(() => this.#slices.releaseGone());
  }

  async close(): Promise<void> {
    this.#api.close();
  }

  async #load(ledger: KubernetesLedger, pool: Pool): Promise<void> {
    const stray = strayName(pool.name);
    if (stray === undefined) {
      ledger.loadPool(pool, await this.#api.get<IpPool>(poolsPath(this.#api.namespace, pool.name)));
      return;
    }
    const overlap = await this.#api.get<Overlap>(overlapsPath(this.#api.namespace, stray));
    const reservation = overlap && strayReservation(overlap);
    if (reservation !== undefined) ledger.load(reservation);
  }

  async #loadOverlaps(ledger: KubernetesLedger, pools: Iterable<Pool>): Promise<void> {
    const overlaps = await this.#api.list<Overlap>(overlapsPath(this.#api.namespace));
    for (const pool of pools) {
      const guard = guardOf(pool);
      if (guard === undefined) continue;
      for (const { metadata } of overlaps) {
        const address = overlapAddress(pool.network, metadata.name);
        if (address?.family === guard.family) ledger.taken(guard).add(address);
      }
    }
  }

  /** Remembers a ledger. When others write to the same pools it is outdated, which only costs a conflict. */
  #remember(ledger: KubernetesLedger): void {
    if (this.#distrust > 0) {
      this.#distrust--;
      return;
    }
    ledger.settle();
    this.#memory = ledger;
  }

  /** Writes one pool; false when another writer was faster, or when the outcome is unknown. */
  async #store(write: PoolWrite, ledger: KubernetesLedger): Promise<boolean> {
    const { pool, patch, object } = write;
    const { namespace } = this.#api;
    try {
      if (patch !== undefined) {
        ledger.settlePool(pool, await this.#api.patch(poolsPath(namespace, pool.name), patch));
      }
      if (object !== undefined) {
        ledger.settlePool(pool, await this.#api.create(poolsPath(namespace), object));
      }
      return true;
    } catch (error) {
      const isOutdated = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
      if (isOutdated || isUnknownOutcome(error)) return false;
      throw error;
    }
  }
}

/**
 * The number of commits after a conflict during which the memory is not used: other writers are likely to
 * be back soon.
 */
const commitsUntilTrust = 16;

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toIpamError(error);
  }
}
