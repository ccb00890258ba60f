import type { Registry } from "../../../base/program/metrics.ts";
import { vipUses } from "../cluster.ts";
import type { Holding } from "./source.ts";

export type VipMetrics = ReturnType<typeof vipMetrics>;

export function vipMetrics(registry: Registry) {
  const held = registry.gauge("tandem_vip_held", {
    help: "Whether this node holds a VIP.",
    labels: ["vip"],
  });
  const failing = registry.gauge("tandem_vip_check_failing", {
    help: "Whether this node cannot serve a use at present.",
    labels: ["use"],
  });
  const known = new Set<string>();
  return {
    reloads: registry.counter("tandem_vip_reloads_total", {
      help: "New configurations put into force.",
      labels: ["program"],
    }),
    refusals: registry.counter("tandem_vip_refused_configurations_total", {
      help: "Configurations the program they were rendered for did not accept.",
      labels: ["program"],
    }),
    crashes: registry.counter("tandem_vip_crashes_total", {
      help: "Programs that have ended by themselves.",
      labels: ["program"],
    }),
    skipped: registry.counter("tandem_vip_skipped_total", {
      help: "Passes that were skipped because nodes or VIPs could not be fetched.",
    }),
    changes: registry.counter("tandem_vip_changes_total", {
      help: "VIPs taken or given up by this node.",
    }),
    showFailing(uses: readonly string[]): void {
      for (const use of vipUses) failing.with(use).set(uses.includes(use) ? 1 : 0);
    },
    showHeld(holdings: readonly Holding[]): void {
      const now = new Set(holdings.map(({ vip }) => vip.toString()));
      for (const vip of now) known.add(vip);
      for (const vip of known) held.with(vip).set(now.has(vip) ? 1 : 0);
    },
  };
}
