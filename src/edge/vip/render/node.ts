import { join } from "node:path";
import type { VipCluster, VipNode, VipUse } from "../cluster.ts";
import { type LocalNode, planNode, type UsePlan } from "../plan.ts";
import type { VipSettings } from "../settings.ts";
import { renderCheckScript } from "./check-script.ts";
import { renderFirewall } from "./firewall.ts";
import { renderHaproxy } from "./haproxy.ts";
import { renderKeepalived } from "./keepalived.ts";

export interface RenderOptions {
  readonly settings: VipSettings;
  /** The directory of the files on the node. */
  readonly directory: string;
}

/** Everything a node needs for the VIPs it takes part in. */
export interface RenderedNode {
  readonly plans: readonly UsePlan[];
  /** The keepalived configuration; absent on a node that takes part in no VIP. */
  readonly keepalived?: string;
  readonly checks: ReadonlyMap<VipUse, { readonly path: string; readonly text: string }>;
  /** The haproxy configuration and the firewall rules; on control plane nodes only. */
  readonly haproxy?: string;
  readonly firewall?: string;
}

export function renderNode(
  cluster: VipCluster,
  nodes: readonly VipNode[],
  { local, settings, directory }: RenderOptions & { readonly local: LocalNode },
): RenderedNode {
  const plans = planNode(cluster, nodes, local);
  if (plans.length === 0) return { plans, checks: new Map() };
  const { timings } = settings;
  const checkScript = (use: VipUse) => join(directory, `check-${use}`);
  const own = nodes.find(({ name }) => name === local.name);
  const hasIPv6 = own?.addresses.some(({ family }) => family === "IPv6") === true;
  const api = plans.find(({ use }) => use === "api");
  return {
    plans,
    keepalived: renderKeepalived(plans, { node: local.name, timings, checkScript }),
    checks: new Map(
      plans.map(({ use }) => [
        use,
        { path: checkScript(use), text: renderCheckScript(use, settings) },
      ]),
    ),
    ...(api !== undefined && {
      haproxy: renderHaproxy(nodes, { settings, socket: join(directory, "haproxy.sock"), hasIPv6 }),
      firewall: renderFirewall(
        api.instances.map(({ vip }) => vip),
        settings,
      ),
    }),
  };
}
