// The objects that every cluster of ours has: those of `tandem up` and those of machines.

import type { Client } from "../../api/client/client.ts";
import { makeDefaultStorage } from "./default-storage.ts";
import { applyDns, type DnsSettings } from "./dns-objects.ts";
import { applyIngress, type IngressSettings } from "./ingress-objects.ts";
import { makeLanPool } from "./lan-pool.ts";

export interface PartsSettings extends DnsSettings, IngressSettings {
  readonly dns: boolean;
  readonly ingress: boolean;
  /** The ranges of load balancers' addresses; none makes no pool. */
  readonly balanced: readonly string[];
}

export async function applyParts(client: Client, settings: PartsSettings): Promise<void> {
  if (settings.dns) await applyDns(client, settings);
  await makeLanPool(client, settings.balanced);
  await makeDefaultStorage(client);
  if (settings.ingress) await applyIngress(client, settings);
}
