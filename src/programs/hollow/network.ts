// The network of a hollow node: addresses of its pod CIDRs, and no interfaces.

import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import type { PodAddress, PodNetwork, PodNetworkRequest } from "../../node/pods/pods.ts";

/** The first address that pods get; the one before it is the gateway of real nodes. */
const firstOffset = 2n;

export class HollowNetwork implements PodNetwork {
  readonly #cidrs: () => readonly Prefix[];
  readonly #attached = new Map<string, readonly PodAddress[]>();
  readonly #used = new Set<string>();

  /** `cidrs` returns the pod CIDRs that the node has now. */
  constructor(cidrs: () => readonly Prefix[]) {
    this.#cidrs = cidrs;
  }

  async attach({ sandbox, preferred = [] }: PodNetworkRequest): Promise<readonly PodAddress[]> {
    const cidrs = this.#cidrs();
    if (cidrs.length === 0) {
      throw new Error("Cannot give a pod addresses: its node has no podCIDRs");
    }
    const addresses = cidrs.map((cidr) => ({
      address: this.#wanted(cidr, preferred) ?? this.#free(cidr),
      interface: "eth0",
      network: "cluster",
      isDefault: true,
    }));
    for (const { address } of addresses) this.#used.add(String(address));
    this.#attached.set(sandbox, addresses);
    return addresses;
  }

  async detach(sandbox: string): Promise<readonly string[]> {
    for (const { address } of this.#attached.get(sandbox) ?? []) this.#used.delete(String(address));
    this.#attached.delete(sandbox);
    return [];
  }

  async collect(listSandboxes: () => Promise<readonly string[]>): Promise<void> {
    const attached = [...this.#attached.keys()];
    const kept = new Set(await listSandboxes());
    for (const sandbox of attached) {
      if (!kept.has(sandbox)) await this.detach(sandbox);
    }
  }

  /** Returns the address that the pod had before, if it is of this range and nobody has it. */
  #wanted(cidr: Prefix, preferred: readonly Address[]): Address | undefined {
    return preferred.find((each) => cidr.contains(each) && !this.#used.has(String(each)));
  }

  #free(cidr: Prefix): Address {
    for (let offset = firstOffset; offset < cidr.size - 1n; offset++) {
      const address = cidr.at(offset);
      if (!this.#used.has(String(address))) return address;
    }
    throw new Error(`Cannot give a pod an address: all of ${String(cidr)} are used`);
  }
}
