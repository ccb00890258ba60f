import { bitsOf, type Family } from "../../../base/net/family.ts";
import type { VipUse } from "../cluster.ts";
import type { InstancePlan, UsePlan } from "../plan.ts";
import { checkWeight } from "../priority.ts";
import type { VipTimings } from "../settings.ts";

export interface KeepalivedOptions {
  readonly node: string;
  readonly timings: VipTimings;
  /** The path of the script that checks whether this node can serve a use. */
  readonly checkScript: (use: VipUse) => string;
}

/** Renders the configuration of one node's keepalived. */
export function renderKeepalived(plans: readonly UsePlan[], options: KeepalivedOptions): string {
  const blocks = [
    globals(options.node),
    ...plans.flatMap((plan) => [
      check(plan.use, options),
      ...(plan.isGrouped ? [group(plan)] : []),
      ...plan.instances.map((one) => instance(one, plan, options)),
    ]),
  ];
  return blocks.map((block) => formatBlock(block)).join("\n");
}

interface Block {
  readonly head: string;
  readonly body: readonly (string | Block)[];
}

function globals(node: string): Block {
  return {
    head: "global_defs",
    body: [
      `router_id ${node}`,
      // Version 3, since IPv4 would default to 2, which has no interval below a second.
      "vrrp_version 3",
      // When a network partition heals, two nodes have held a VIP, and the one that keeps it sends no
      // announcement of a new master: neighbours learn where it is from the refresh alone.
      "vrrp_garp_master_refresh 1",
      // High priority: a holder that is late with its advertisements loses its VIPs, however busy the node
      // is.
      "vrrp_priority -20",
      "max_auto_priority -1",
      "enable_script_security",
      "script_user root",
    ],
  };
}

function check(use: VipUse, { timings, checkScript }: KeepalivedOptions): Block {
  const { intervalSeconds, times } = timings.check;
  return {
    head: `vrrp_script ${checkName(use)}`,
    body: [
      `script "${checkScript(use)}"`,
      `interval ${intervalSeconds}`,
      `timeout ${intervalSeconds}`,
      `rise ${times}`,
      `fall ${times}`,
      `weight ${checkWeight}`,
    ],
  };
}

/** The sync group, with the check: keepalived ignores checks of instances that are in a group. */
function group(plan: UsePlan): Block {
  return {
    head: `vrrp_sync_group ${plan.name}`,
    body: [{ head: "group", body: plan.instances.map(({ name }) => name) }, tracking(plan.use)],
  };
}

function instance(one: InstancePlan, plan: UsePlan, { timings }: KeepalivedOptions): Block {
  const { family } = one.vip;
  const peers = one.peers.length > 0 ? one.peers.map(String) : [nobody[family]];
  return {
    head: `vrrp_instance ${one.name}`,
    body: [
      "state BACKUP",
      `interface ${one.link}`,
      `virtual_router_id ${one.routerId}`,
      `priority ${one.priority}`,
      `advert_int ${timings.advertSeconds}`,
      `unicast_src_ip ${one.source}`,
      { head: "unicast_peer", body: peers },
      { head: "virtual_ipaddress", body: [`${one.vip}/${bitsOf(family)}`] },
      ...(plan.isGrouped ? [] : [tracking(plan.use)]),
    ],
  };
}

/**
 * The peer of a node without peers. With none at all keepalived would use multicast, heard by anybody, and
 * would drop its VIPs when the first peer comes or the last one goes. Packets to these addresses do not leave
 * the machine.
 */
const nobody: Readonly<Record<Family, string>> = { IPv4: "127.0.0.1", IPv6: "ff01::1" };

function tracking(use: VipUse): Block {
  return { head: "track_script", body: [checkName(use)] };
}

function checkName(use: VipUse): string {
  return `check_${use}`;
}

function formatBlock({ head, body }: Block, indent = ""): string {
  const inner = `${indent}    `;
  const lines = body.map((line) =>
    typeof line === "string" ? `${inner}${line}\n` : formatBlock(line, inner),
  );
  return `${indent}${head} {\n${lines.join("")}${indent}}\n`;
}
