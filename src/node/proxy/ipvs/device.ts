// The dummy device with the addresses of services, so that the kernel accepts packets to them.

import type { CallOptions } from "../../../base/host/command.ts";
import { HostError, isNotSupported } from "../../../base/host/error.ts";
import type { Ip } from "../../../base/host/ip.ts";
import { bitsOf, type Family } from "../../../base/net/family.ts";

export class ServiceDevice {
  readonly name: string;
  readonly #family: Family;
  readonly #ip: Ip;

  constructor(family: Family, ip: Ip) {
    this.#family = family;
    this.#ip = ip;
    this.name = `tandem-${family.toLowerCase()}`;
  }

  async exists(options?: CallOptions): Promise<boolean> {
    return (await this.#ip.links(options)).some(({ name }) => name === this.name);
  }

  /** Creates the device unless it exists; no packet is ever sent through it. */
  async prepare(options?: CallOptions): Promise<void> {
    if (await this.exists(options)) return;
    try {
      await this.#ip.batch(
        [
          `link add ${this.name} type dummy`,
          `link set ${this.name} addrgenmode none`,
          `link set ${this.name} arp off up`,
        ],
        options,
      );
    } catch (error) {
      if (!isNotSupported(error)) throw error;
      const message = "Cannot use ipvs: the kernel has no module dummy";
      throw new HostError(message, { reason: "not-supported", cause: error });
    }
  }

  async addresses(options?: CallOptions): Promise<readonly string[]> {
    const all = await this.#ip.addresses(this.#family, options);
    return all.filter(({ link }) => link === this.name).map(({ address }) => address.toString());
  }

  async add(addresses: readonly string[], options?: CallOptions): Promise<void> {
    const end = this.#family === "IPv6" ? " nodad" : "";
    await this.#batch("add", addresses, { ...options, end });
  }

  async remove(addresses: readonly string[], options?: CallOptions): Promise<void> {
    await this.#batch("del", addresses, { ...options, end: "" });
  }

  async delete(options?: CallOptions): Promise<void> {
    if (await this.exists(options)) await this.#ip.batch([`link del ${this.name}`], options);
  }

  async #batch(
    verb: "add" | "del",
    addresses: readonly string[],
    { end, signal }: CallOptions & { readonly end: string },
  ): Promise<void> {
    const bits = bitsOf(this.#family);
    const lines = addresses.map((one) => `address ${verb} ${one}/${bits} dev ${this.name}${end}`);
    await this.#ip.batch(lines, { signal });
  }
}
