// Runs the repair of allocations at intervals: compares services with reservations and resolves differences.

import type { Service } from "../../../api/types/core.ts";
import type { IPAddress } from "../../../api/types/networking.ts";
import { type Clock, pause } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Entry, Revision, Store } from "../../store/store.ts";
import { collectionId, registry } from "../keys.ts";
import { planRepair, type Reservation } from "./repair.ts";
import { addressCollection, decodePort, nodePortPrefix } from "./reservations.ts";

export interface RepairOptions {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => Date;
  readonly random: Random;
  /** The interval; three minutes if absent. */
  readonly intervalMs?: number;
}

const threeMinutes = 3 * 60 * 1000;
const pageSize = 500;
const servicePrefix = `${registry}${collectionId("", "services")}/`;
const addressPrefix = `${registry}${addressCollection}/`;
const managedBy = "ipaddress.kubernetes.io/managed-by";

/** Repairs at the start and at every interval; several servers may do so at once. */
export async function runRepair(
  options: RepairOptions & { readonly clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const { log, clock, random, intervalMs = threeMinutes } = options;
  while (!signal.aborted) {
    try {
      await repairAllocations(options);
    } catch (error) {
      if (signal.aborted) return;
      log.warn("Cannot compare services with their reservations; trying again later", { error });
    }
    // The pause is jittered, so that servers that started together do not stay together.
    await pause(clock, intervalMs * (0.75 + 0.5 * random.fraction()), signal);
  }
}

/** Repairs once; resolves to the findings. */
export async function repairAllocations({
  store,
  log,
  now,
  random,
}: RepairOptions): Promise<readonly string[]> {
  // Services and reservations are read at one revision, so that a service created in between loses nothing.
  const revision = await store.revision();
  const services = await readAll(store, servicePrefix, revision);
  const addresses = await readAll(store, addressPrefix, revision);
  const ports = await readAll(store, nodePortPrefix, revision);
  const { transactions, findings } = planRepair(
    services.map((entry) => decode(entry) as Service),
    [...addresses.flatMap(addressReservation), ...ports.map(portReservation)],
    { now: now(), random },
  );
  for (const finding of findings) log.warn("Found among the services' reservations", { finding });
  for (const transaction of transactions) await store.commit(transaction);
  return findings;
}

async function readAll(store: Store, prefix: string, revision: Revision): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let more = true; more; ) {
    const last = entries.at(-1)?.key;
    const page = await store.list(prefix, {
      limit: pageSize,
      revision,
      ...defined({ after: last }),
    });
    for (const entry of page.entries) entries.push(entry);
    ({ more } = page);
  }
  return entries;
}

/** Returns the reservation of an IPAddress; `undefined` for those that somebody else made. */
function addressReservation(entry: Entry): Reservation[] {
  const { metadata, spec } = decode(entry) as IPAddress;
  if (metadata.labels?.[managedBy] !== "ipallocator.k8s.io") return [];
  const parent = spec?.parentRef;
  const owner = `${parent?.namespace ?? ""}/${parent?.name ?? ""}`;
  return [{ key: entry.key, modified: entry.modified, owner }];
}

function portReservation({ key, modified, value }: Entry): Reservation {
  const { namespace, name } = decodePort(value);
  return { key, modified, owner: `${namespace}/${name}` };
}

function decode({ value }: Entry): unknown {
  return JSON.parse(Buffer.from(value).toString());
}
