// Cluster IPs and node ports are reserved by keys that are written in the same transaction as the
// service: an IPAddress object per address, and a key per port. A reservation that exists already makes
// the transaction fail, so two servers never give the same value twice, and a crash leaves nothing.
import type { Companions } from "../resources/companions.ts";
import type { ServiceAllocatorOptions, ServiceChange } from "./plan.ts";
import { planAddresses } from "./service-addresses.ts";
import { planPorts } from "./service-ports.ts";

export interface ServiceAllocator {
  /** Chooses the values that a service needs and does not have; later attempts trust the cache less. */
  plan(change: ServiceChange, attempt: number): Promise<Companions>;
}

export function serviceAllocator(options: ServiceAllocatorOptions): ServiceAllocator {
  return {
    async plan(change, number) {
      const attempt = { number, options };
      const addresses = await planAddresses(change, attempt);
      const ports = await planPorts(change, attempt);
      return {
        compare: [...addresses.compare, ...ports.compare],
        operations: [...addresses.operations, ...ports.operations],
      };
    },
  };
}
