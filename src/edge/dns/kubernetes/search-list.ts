// The search list of pods: the services of their namespace, then all services, then the domain, then the pods
// of their namespace. Resolvers go through it before they ask for the name itself.

import { Address } from "../../../base/net/address.ts";
import { isWithin, labelsOf, type Name, under } from "../wire/name.ts";
import type { Zone } from "../zone/zone.ts";
import { dashed } from "./address-names.ts";

/**
 * The names that a pod will ask for next when the name, the first of its search list, does not exist. None
 * for other names, and for clients that are no pods of the namespace: their lists are not known.
 */
export function searchedNext(name: Name, asker: string, zone: Zone): readonly Name[] {
  const { domain } = zone;
  const services = under("svc", domain);
  if (!isWithin(name, services)) return [];
  const labels = labelsOf(name.slice(0, name.length - services.length));
  const namespace = labels.pop();
  if (namespace === undefined || labels.length === 0) return [];
  if (!isPodOf(namespace, asker, zone)) return [];
  const meant = labels.reduceRight((parent, label) => under(label, parent), "");
  const pods = under(namespace, under("pod", domain));
  return [meant + services, meant + domain, meant + pods, meant];
}

/** Whether the client is a pod of the namespace; pods on the host network look like their node. */
function isPodOf(namespace: string, asker: string, zone: Zone): boolean {
  const address = Address.tryParse(asker);
  if (address === undefined) return false;
  const pods = under(namespace, under("pod", zone.domain));
  return zone.get(under(dashed(address), pods)) !== undefined;
}
