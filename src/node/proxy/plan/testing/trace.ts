// Follows a packet through a plan, to tell what a kernel with this plan would do with it.

import type { Address } from "../../../../base/net/address.ts";
import {
  type Endpoint,
  type FamilySettings,
  type Frontend,
  frontendKey,
  type Masquerade,
  type Pool,
  type Protocol,
} from "../frontend.ts";

export interface Packet {
  readonly source: Address;
  readonly destination: Address;
  readonly port: number;
  readonly protocol: Protocol;
}

export interface TraceContext {
  readonly settings: FamilySettings;
  /** The addresses of this machine, loopback included. */
  readonly localAddresses: readonly Address[];
  find(key: string): Frontend | undefined;
  /** Whether the address is a service's cluster IP. */
  isClusterIP(address: string): boolean;
}

export type Outcome =
  | { readonly verdict: "pass" | "drop" | "reject" }
  | {
      readonly verdict: "endpoint";
      readonly pool: Pool;
      /** The endpoints that see the node's address in place of the client's. */
      readonly masqueraded: Pool;
    };

export function trace(packet: Packet, context: TraceContext): Outcome {
  const frontend = findFrontend(packet, context);
  if (frontend === undefined) {
    const isUnusedPort = context.isClusterIP(packet.destination.toString());
    return { verdict: isUnusedPort ? "reject" : "pass" };
  }
  const { allowedSources } = frontend;
  if (allowedSources?.some((prefix) => prefix.contains(packet.source)) === false) {
    return { verdict: "drop" };
  }
  const origin = originOf(packet.source, context);
  const pool = origin === "outside" ? (frontend.outsiders ?? frontend.pool) : frontend.pool;
  if (pool.length === 0) {
    const isServedElsewhere = frontend.pool.length > 0;
    return { verdict: isServedElsewhere ? "drop" : frontend.whenEmpty };
  }
  const isMasqueraded = masqueraded[frontend.masquerade].includes(origin);
  const source = packet.source.toString();
  // Hairpin traffic is masqueraded: a pod that reached itself would drop replies from its own address.
  const isHairpin = ({ address, isLocal }: Endpoint): boolean => isLocal && address === source;
  return {
    verdict: "endpoint",
    pool,
    masqueraded: isMasqueraded ? pool : pool.filter(isHairpin),
  };
}

type Origin = "pod" | "node" | "outside";

const masqueraded: Readonly<Record<Masquerade, readonly Origin[]>> = {
  everyone: ["pod", "node", "outside"],
  "everyone-but-pods": ["node", "outside"],
  "this-node": ["node"],
  nobody: [],
};

function originOf(source: Address, { settings, localAddresses }: TraceContext): Origin {
  if (settings.podPrefix?.contains(source)) return "pod";
  return localAddresses.some((address) => address.equals(source)) ? "node" : "outside";
}

function findFrontend(packet: Packet, context: TraceContext): Frontend | undefined {
  const { destination, protocol, port } = packet;
  const found = context.find(frontendKey({ address: destination.toString(), protocol, port }));
  if (found !== undefined) return found;
  const isLocal = context.localAddresses.some((address) => address.equals(destination));
  const { nodePortPrefixes, servesLoopback } = context.settings;
  const isServed = nodePortPrefixes.some((prefix) => prefix.contains(destination));
  if (!isLocal || !isServed || (destination.isLoopback && !servesLoopback)) return undefined;
  return context.find(frontendKey({ address: undefined, protocol, port }));
}
