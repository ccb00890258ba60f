import { systemIptables } from "../../../src/base/host/iptables.system.ts";
import { iptablesProxier } from "../../../src/node/proxy/iptables/proxier.ts";
import type { IptablesVariant } from "../../../src/node/proxy/modes.ts";
import { behaviourContract } from "./behaviour.ts";
import { type OpenProxier, scenarioContract } from "./contract.ts";
import { openLab } from "./lab.ts";

/** One variant in a file of its own: they run for half a minute each. */
export async function iptablesContract(variant: IptablesVariant): Promise<void> {
  const lab = await openLab();
  const open: OpenProxier = (settings, node) => {
    const iptables = systemIptables(node, { family: settings.family, variant });
    return iptablesProxier({ iptables, settings });
  };
  scenarioContract(`iptables-${variant}`, lab, { open });
  behaviourContract(`iptables-${variant}`, lab, { open });
}
