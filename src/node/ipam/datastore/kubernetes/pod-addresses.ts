// The addresses that a pod uses, as far as the API shows: to find reservations that nobody needs.

import { isObject } from "../../../../base/json/value.ts";
import { Address } from "../../../../base/net/address.ts";
import type { AddressesInUse } from "../port.ts";
import type { Named } from "./api.ts";

export interface Pod extends Named {
  readonly metadata: Named["metadata"] & { readonly deletionTimestamp?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
    readonly podIPs?: readonly {
      readonly ip?: string;
      readonly properties?: Readonly<Record<string, string>>;
    }[];
  };
}

const networkStatus = "k8s.v1.cni.cncf.io/network-status";
const interfaceProperty = "tandem.internal/interface";
/** The interface of a pod's addresses where nothing names another. */
const firstInterface = "eth0";

/**
 * Returns the addresses of a pod by interface. Undefined where they may differ from those in the API:
 * while the pod starts or ends, and while its node cannot report.
 */
export function addressesInUse({ metadata, status }: Pod): AddressesInUse | undefined {
  const { phase, conditions = [], podIPs = [] } = status ?? {};
  const isDoubtful = conditions.some(
    (condition) => condition.type === "Ready" && condition.status !== "True",
  );
  if (phase !== "Running" || metadata.deletionTimestamp !== undefined || isDoubtful) {
    return undefined;
  }
  const found = new Map<string, Address[]>();
  const add = (link: string, text: unknown) => {
    const address = Address.tryParse(String(text));
    if (address !== undefined) found.set(link, [...(found.get(link) ?? []), address]);
  };
  for (const { ip, properties } of podIPs) {
    add(properties?.[interfaceProperty] ?? firstInterface, ip);
  }
  for (const one of attachments(metadata.annotations?.[networkStatus])) {
    const link = typeof one["interface"] === "string" ? one["interface"] : firstInterface;
    for (const ip of Array.isArray(one["ips"]) ? (one["ips"] as unknown[]) : []) add(link, ip);
  }
  return found;
}

/** Parses the annotation, in which anybody may have written anything. */
function attachments(text = "[]"): readonly Readonly<Record<string, unknown>>[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? (parsed as unknown[]).filter(isObject) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
