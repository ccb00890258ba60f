// The records of a pod: its name, and each of its addresses with dashes.

import { onDefaultNetwork } from "../../../api/kinds/pod.ts";
import type { Pod } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { fits, under } from "../wire/name.ts";
import type { DnsRecord } from "../wire/record.ts";
import { dashed } from "./address-names.ts";
import type { RecordOptions } from "./service-records.ts";

export function podRecords(pod: Pod, { domain, ttl }: RecordOptions): DnsRecord[] {
  const { metadata, spec, status = {} } = pod;
  if (status.phase === "Succeeded" || status.phase === "Failed") return [];
  const parent = under(metadata.namespace, under("pod", domain));
  const podIPs = status.podIPs ?? [{ ip: status.podIP ?? "" }];
  const reachable = onDefaultNetwork(podIPs);
  // Pod names may contain dots, which make several labels.
  const records: DnsRecord[] = [];
  const add = (labels: string, address: Address): void => {
    let name = parent;
    for (const label of labels.split(".").toReversed()) {
      if (!fits(label, name)) return;
      name = under(label, name);
    }
    records.push({ name, ttl, data: { kind: "address", address } });
  };
  for (const podIP of podIPs) {
    const address = Address.tryParse(podIP.ip ?? "");
    if (address === undefined) continue;
    // Addresses on a further network are left out: pods without an interface there cannot reach them.
    if (reachable.includes(podIP)) add(metadata.name, address);
    // Pods on the host's network share its addresses, so no address is their own.
    const isOwn = spec.hostNetwork !== true;
    if (isOwn && dashed(address) !== metadata.name) add(dashed(address), address);
  }
  return records;
}
