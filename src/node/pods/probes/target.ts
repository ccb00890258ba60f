// The pod addresses that a probe is sent to.

import { isDefaultAddress } from "../../../api/kinds/pod.ts";
import type { PodIP } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { ProbeFamily } from "../options.ts";

const familyOf: Readonly<Partial<Record<ProbeFamily, Family>>> = { ipv4: "IPv4", ipv6: "IPv6" };

/** Returns the addresses to probe; one that answers is enough. */
export function probeAddresses(podIPs: readonly PodIP[], preferred: ProbeFamily): Address[] {
  const addresses = podIPs.map(({ ip }) => Address.parse(ip));
  const own = podIPs.filter(isDefaultAddress).map(({ ip }) => Address.parse(ip));
  if (preferred === "dual-stack" && own.length > 0) return own;
  const wanted = own.find(({ family }) => family === familyOf[preferred]);
  return [...(wanted === undefined ? [] : [wanted]), ...addresses].slice(0, 1);
}
