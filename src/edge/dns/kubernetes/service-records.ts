// The records of a service, from its objects alone.

import type { Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { fits, type Name, tryNameOf, under } from "../wire/name.ts";
import { type DnsRecord, type RecordData, recordKey } from "../wire/record.ts";
import { dashed, reverseName } from "./address-names.ts";
import { type BackendObjects, backendsOf } from "./backends.ts";

export interface RecordOptions {
  readonly domain: Name;
  /** The TTL in seconds. */
  readonly ttl: number;
}

export function serviceRecords(
  service: Service,
  objects: BackendObjects,
  { domain, ttl }: RecordOptions,
): DnsRecord[] {
  const { metadata, spec } = service;
  const name = under(metadata.name, under(metadata.namespace, under("svc", domain)));
  const records = new RecordList(ttl);
  if (spec.type === "ExternalName") {
    const target = tryNameOf(spec.externalName ?? "");
    if (target !== undefined) records.add(name, { kind: "alias", target });
  } else if (spec.clusterIP === "None") {
    addHeadless(records, name, { service, objects });
  } else {
    addClusterAddresses(records, name, service);
  }
  return records.list;
}

/** Adds the cluster IPs, which are allocated after the service is created. */
function addClusterAddresses(records: RecordList, name: Name, { spec }: Service): void {
  const { clusterIP = "", clusterIPs = [clusterIP], ports = [] } = spec;
  const addresses = clusterIPs.map(Address.tryParse).filter((address) => address !== undefined);
  if (addresses.length === 0) return;
  for (const address of addresses) {
    records.add(name, { kind: "address", address });
    records.add(reverseName(address), { kind: "pointer", target: name });
  }
  for (const { name: port = "", protocol = "TCP", port: number } of ports) {
    records.addService(name, { port, protocol }, { port: number, weight: 100, target: name });
  }
}

function addHeadless(
  records: RecordList,
  name: Name,
  { service, objects }: { service: Service; objects: BackendObjects },
): void {
  for (const { hostname, addresses, ports } of backendsOf(service, objects)) {
    for (const address of addresses) {
      records.add(name, { kind: "address", address });
      const label = hostname ?? dashed(address);
      if (!fits(label, name)) continue;
      const target = under(label, name);
      records.add(target, { kind: "address", address });
      records.add(reverseName(address), { kind: "pointer", target });
      for (const { name: port, protocol, port: number } of ports) {
        records.addService(name, { port, protocol }, { port: number, weight: 100, target });
      }
    }
  }
}

/** A list of records in insertion order, without duplicates. */
class RecordList {
  readonly list: DnsRecord[] = [];
  readonly #known = new Set<string>();
  readonly #ttl: number;

  constructor(ttl: number) {
    this.#ttl = ttl;
  }

  add(name: Name, data: RecordData): void {
    const record = { name, ttl: this.#ttl, data };
    const key = recordKey(record);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.list.push(record);
  }

  /** Adds an SRV record; only ports with a name have one. */
  addService(
    name: Name,
    { port, protocol }: { port: string; protocol: string },
    data: { port: number; weight: number; target: Name },
  ): void {
    const transport = `_${protocol.toLowerCase()}`;
    const label = `_${port.toLowerCase()}`;
    if (port === "" || !fits(label, under(transport, name))) return;
    this.add(under(label, under(transport, name)), { kind: "service", ...data });
  }
}
