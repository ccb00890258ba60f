import { Address } from "../../../base/net/address.ts";
import type { PodAddress, PodNetwork, PodNetworkRequest } from "../port.ts";

/** A network that gives each sandbox the next pair of addresses, or the preferred ones. */
export class FakeNetwork implements PodNetwork {
  readonly attached = new Map<string, readonly PodAddress[]>();
  readonly requests: PodNetworkRequest[] = [];
  fault: Error | undefined;
  /** The descriptions that `detach` returns of what it could not undo. */
  left: readonly string[] = [];
  collected: readonly string[] | undefined;
  refusedCollections = 0;
  #next = 1;

  async attach(request: PodNetworkRequest): Promise<readonly PodAddress[]> {
    this.requests.push(request);
    if (this.fault !== undefined) throw this.fault;
    const number = this.#next++;
    const { preferred = [] } = request;
    const given = [
      Address.parse(`10.0.0.${number}`),
      Address.parse(`fd00::${number.toString(16)}`),
    ];
    const addresses = (preferred.length > 0 ? preferred : given).map((address) => ({
      address,
      interface: "eth0",
      network: "cluster",
      isDefault: true,
    }));
    this.attached.set(request.sandbox, addresses);
    return addresses;
  }

  async detach(sandbox: string): Promise<readonly string[]> {
    return this.attached.delete(sandbox) ? this.left : [];
  }

  async collect(listSandboxes: () => Promise<readonly string[]>): Promise<void> {
    if (this.fault !== undefined) {
      this.refusedCollections += 1;
      throw this.fault;
    }
    this.collected = await listSandboxes();
  }
}
