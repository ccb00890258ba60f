// Reservations and services are written together, so they agree by construction; people and older
// versions can still make them disagree. The repair frees what no service holds, reserves what a
// service holds without a reservation, and reports what two services hold.
import type { Service } from "../../../api/types/core.ts";
import type { Compare, Operation } from "../../store/store.ts";
import { objectKey } from "../keys.ts";
import {
  addressCollection,
  encodeAddress,
  encodePort,
  nodePortKey,
  type ReservationMark,
} from "./reservations.ts";
import { allocatedAddresses } from "./service-addresses.ts";
import { allocatedPorts } from "./service-ports.ts";

/** A reservation as it is stored. */
export interface Reservation {
  readonly key: string;
  readonly modified: number;
  /** The `namespace/name` of the service that holds the reservation. */
  readonly owner: string;
}

export interface Repair {
  /** The transactions, one per repair, so that one that lost a race does not stop the others. */
  readonly transactions: readonly {
    compare: readonly Compare[];
    operations: readonly Operation[];
  }[];
  /** The findings, as sentences for the log and for events. */
  readonly findings: readonly string[];
}

interface Wanted {
  readonly what: string;
  readonly value: Buffer;
  readonly owners: string[];
}

export function planRepair(
  services: Iterable<Service>,
  reservations: Iterable<Reservation>,
  mark: ReservationMark,
): Repair {
  const wanted = wantedBy(services, mark);
  const transactions: Repair["transactions"][number][] = [];
  const findings: string[] = [];
  const reserved = new Set<string>();
  for (const { key, modified, owner } of reservations) {
    const claim = wanted.get(key);
    reserved.add(key);
    const compare = [{ key, modified }];
    if (claim === undefined) {
      findings.push(`freed ${key}, which was reserved for ${owner} and which no service holds`);
      transactions.push({ compare, operations: [{ type: "delete", key }] });
    } else if (!claim.owners.includes(owner)) {
      findings.push(`gave ${key} to ${claim.owners[0]}, which holds it, instead of ${owner}`);
      transactions.push({ compare, operations: [{ type: "put", key, value: claim.value }] });
    }
  }
  for (const [key, { what, owners, value }] of wanted) {
    if (owners.length > 1) findings.push(`${what} is held by ${owners.join(" and ")}`);
    if (reserved.has(key)) continue;
    findings.push(`reserved ${what} for ${owners[0]}, which held it without a reservation`);
    transactions.push({
      compare: [{ key, modified: 0 }],
      operations: [{ type: "put", key, value }],
    });
  }
  return { transactions, findings };
}

function wantedBy(services: Iterable<Service>, mark: ReservationMark): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const want = (key: string, owner: string, made: Omit<Wanted, "owners">): void => {
    const known = wanted.get(key);
    if (known === undefined) wanted.set(key, { ...made, owners: [owner] });
    else known.owners.push(owner);
  };
  for (const service of services) {
    const { metadata } = service;
    const owner = `${metadata.namespace}/${metadata.name}`;
    for (const address of allocatedAddresses(service)) {
      const value = encodeAddress(address, metadata, mark);
      const key = objectKey(addressCollection, "", address);
      want(key, owner, { what: `cluster IP ${address}`, value });
    }
    for (const port of new Set(allocatedPorts(service))) {
      want(nodePortKey(port), owner, { what: `node port ${port}`, value: encodePort(metadata) });
    }
  }
  return wanted;
}
