// Says which node has which address, of load balancers by the leases of announcers, of VIPs by what nodes say;
// and which announcers are silent.

import type { Node } from "../../api/types/core.ts";
import type { Clock } from "../../base/host/clock.ts";
import { announcerObserver } from "../../edge/balancer/balancer.ts";
import { decodeReport, reportAnnotation } from "../../edge/vip/vip.ts";
import type { Placement, Placing } from "../../inspect/dashboard/dashboard.ts";

export function placingBy(clock: Clock): Placing {
  const observe = announcerObserver(clock);
  return (objects) => {
    const { addresses, silent } = observe(objects);
    const announced = addresses.map(({ address, services, node }) => ({
      address,
      use: `service ${services.join(", ")}`,
      node,
    }));
    return { placements: [...announced, ...heldVips(objects.nodes)], silent };
  };
}

/** The VIPs that nodes take part in, each with its holder. */
function heldVips(nodes: readonly Node[]): readonly Placement[] {
  const placements = new Map<string, Placement>();
  for (const { metadata, status } of nodes) {
    const report = decodeReport(metadata.annotations?.[reportAnnotation]);
    for (const vip of report.takesPart) {
      const address = vip.toString();
      if (!placements.has(address))
        placements.set(address, { address, use: "VIP", node: undefined });
    }
    // What a node that is not ready says may be old.
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    if (ready !== undefined && ready.status !== "True") continue;
    for (const { vip, since } of report.holds) {
      const address = vip.toString();
      const node = metadata.name;
      placements.set(address, { address, use: "VIP", node, since: since.toISOString() });
    }
  }
  return [...placements.values()];
}
