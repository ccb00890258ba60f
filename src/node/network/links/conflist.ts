// The CNI configuration of the pods' default network.
import type { Prefix } from "../../../base/net/prefix.ts";
import { bridgeName, gatewayOf } from "./bridge.ts";

export interface ConflistOptions {
  readonly network: "bridge" | "ptp";
  readonly ipam: "host-local" | "tandem";
  readonly podCidrs: readonly Prefix[];
  readonly mtu: number;
  /** The directory for reservations of host-local, which end with a reboot, as sandboxes do. */
  readonly reservations: string;
  /** The kubeconfig by which tandem-ipam reaches the API. */
  readonly kubeconfig: string;
  readonly node: string;
}

export const defaultNetworkName = "tandem";
/** The seconds for which an address is kept for a pod that comes back. */
const stickySeconds = 300;

/**
 * The portmap plugin runs only for pods with host ports, which are few: it is one of three programs per
 * attachment.
 */
const portmap = {
  type: "portmap",
  capabilities: { portMappings: true },
  "tandem.internal/only-for-capabilities": true,
};

export function defaultConflist(options: ConflistOptions): object {
  const { network, mtu } = options;
  const common = { ipMasq: false, mtu, capabilities: { ips: true }, ipam: ipamOf(options) };
  const first =
    network === "ptp"
      ? { type: "ptp", ...common }
      : {
          type: "bridge",
          bridge: bridgeName,
          isDefaultGateway: true,
          hairpinMode: true,
          ...common,
        };
  return {
    cniVersion: "1.1.0",
    name: defaultNetworkName,
    plugins: [first, portmap],
  };
}

function ipamOf(options: ConflistOptions): object {
  const { network, ipam, podCidrs, reservations, kubeconfig, node } = options;
  const everywhere = podCidrs.map(({ family }) => ({
    dst: family === "IPv4" ? "0.0.0.0/0" : "::/0",
  }));
  // The bridge plugin adds its default routes itself.
  const routes = network === "ptp" ? { routes: everywhere } : {};
  if (ipam === "host-local") {
    const ranges = podCidrs.map((cidr) => [{ subnet: cidr, gateway: gatewayOf(cidr) }]);
    return { type: "host-local", dataDir: reservations, ranges, ...routes };
  }
  return {
    type: "tandem-ipam",
    datastore: "kubernetes",
    kubernetes: { kubeconfig },
    node_name: node,
    sticky_seconds: stickySeconds,
    ipRanges: podCidrs.map((cidr) => ({ range: cidr, gateway: gatewayOf(cidr) })),
    ...routes,
  };
}
