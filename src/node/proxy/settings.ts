import type { Address } from "../../base/net/address.ts";
import { type Family, families } from "../../base/net/family.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";
import type { IptablesVariant, ProxyMode } from "./modes.ts";
import type { FamilySettings } from "./plan/frontend.ts";
import type { NodeFacts } from "./plan/node.ts";
import { type NodePortAddresses, nodePortSettings } from "./plan/node-ports.ts";
import type { PlanContext } from "./plan/plan-service.ts";

export interface ProxySettings {
  /** The name of the node this runs on. */
  readonly node: string;
  readonly mode: ProxyMode;
  readonly iptablesVariant: IptablesVariant;
  /** The families to keep rules for. */
  readonly families: readonly Family[];
  /** The node's addresses, which come before those of its Node object; the first of each family counts. */
  readonly bindAddress: readonly Address[];
  /** The prefixes of pod addresses; the first of each family counts. */
  readonly clusterCidr: readonly Prefix[];
  readonly nodeportAddresses: NodePortAddresses;
  /**
   * The proxy name: serve only services labelled with it. When not given, serve those without such a
   * label.
   */
  readonly proxyName?: string | undefined;
  /** Whether services may take addresses of this node and of pods, as in Kubernetes. */
  readonly allowReservedServiceAddresses?: boolean | undefined;
  readonly masqueradeAll: boolean;
  /** The addresses at which load balancers ask whether this node's proxy works. */
  readonly healthzAddress: readonly ListenAddress[];
  /** The addresses at which state and metrics are served. */
  readonly healthAddress: readonly ListenAddress[];
}

/** The defaults of all settings but the node's name. */
export const defaultProxySettings: Omit<ProxySettings, "node"> = {
  mode: "nftables",
  iptablesVariant: "nft",
  families,
  bindAddress: [],
  clusterCidr: [],
  nodeportAddresses: "primary",
  masqueradeAll: false,
  healthzAddress: [{ host: "", port: 10_256 }],
  healthAddress: [{ host: "localhost", port: 10_249 }],
};

export function planContext(settings: ProxySettings, node: NodeFacts): PlanContext {
  return {
    node,
    families: settings.families.map((family) => familySettings(settings, { family, node })),
    proxyName: settings.proxyName,
    allowsReserved: settings.allowReservedServiceAddresses,
  };
}

function familySettings(
  { clusterCidr, nodeportAddresses, masqueradeAll }: ProxySettings,
  { family, node }: { readonly family: Family; readonly node: NodeFacts },
): FamilySettings {
  return {
    family,
    podPrefix: clusterCidr.find((prefix) => prefix.family === family),
    ...nodePortSettings(nodeportAddresses, { family, node }),
    masqueradeAll,
  };
}
