// Finds out the first family of a cluster's services.

import type { Client } from "../../api/client/client.ts";
import { isForbidden, isNotFound } from "../../api/client/errors.ts";
import type { Clock } from "../../base/host/clock.ts";
import { Address } from "../../base/net/address.ts";
import type { Family } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import type { Log } from "../../base/program/log.ts";

const askAgainMs = 1_000;

/**
 * Returns the first family of services. Retries until the API server answers, since it may be starting too.
 */
export async function firstFamilyOf(
  client: Client,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<Family> {
  for (;;) {
    try {
      return await serviceFamily(client, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.warn("Cannot find out the family of services", { error });
    }
    await clock.sleep(askAgainMs, signal);
  }
}

async function serviceFamily(client: Client, signal: AbortSignal): Promise<Family> {
  const name = "kubernetes";
  try {
    const ranges = client.resource("networking.k8s.io/v1", "ServiceCIDR");
    const { spec } = await ranges.get({ name }, { signal });
    const [first] = (spec.cidrs ?? []).flatMap((text) => Prefix.tryParse(text) ?? []);
    if (first !== undefined) return first.family;
  } catch (error) {
    // ServiceCIDR objects do not exist on older servers.
    if (!isNotFound(error) && !isForbidden(error)) throw error;
  }
  const services = client.resource("v1", "Service");
  const { spec } = await services.get({ namespace: "default", name }, { signal });
  return Address.tryParse(spec.clusterIP ?? "")?.family ?? "IPv4";
}
