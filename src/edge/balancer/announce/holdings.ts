// The load balancer addresses on this machine's links.

import type { Commands } from "../../../base/host/command.ts";
import { isNotFound } from "../../../base/host/error.ts";
import type { Ip, LinkAddress } from "../../../base/host/ip.ts";
import type { Nft } from "../../../base/host/nft.ts";
import type { Address } from "../../../base/net/address.ts";
import { bitsOf, families } from "../../../base/net/family.ts";
import { announcementFrame } from "./frames.ts";
import { guardScript, guardTable } from "./guard.ts";

export interface HoldingsOptions {
  readonly ip: Ip;
  readonly nft: Nft;
  readonly commands: Commands;
}

interface Holding {
  readonly address: Address;
  readonly link: string;
}

export class Holdings {
  readonly #options: HoldingsOptions;
  readonly #held = new Map<string, Holding>();
  /** The guard rules in force; unknown at first, since a previous process may have left some. */
  #guarded: string | undefined = "";

  constructor(options: HoldingsOptions) {
    this.#options = options;
  }

  get addresses(): readonly Address[] {
    return [...this.#held.values()].map(({ address }) => address);
  }

  has(address: Address): boolean {
    return this.#held.has(address.toString());
  }

  /** The networks that this machine is part of, with its own addresses there. */
  async lans(): Promise<readonly LinkAddress[]> {
    const { ip } = this.#options;
    const found = await Promise.all(families.map((family) => ip.addresses(family)));
    return found
      .flat()
      .filter(
        ({ address, prefix, scope }) =>
          scope === "global" && !address.isLoopback && prefix.length < bitsOf(address.family),
      );
  }

  /** Adds addresses with a lifetime, unless they are refreshed, and announces them on their links. */
  async take(addresses: readonly Address[], seconds: number): Promise<void> {
    const lans = await this.lans();
    const taken = addresses.flatMap((address) => {
      const lan = lans.find(({ prefix }) => prefix.contains(address));
      return lan === undefined ? [] : [{ address, link: lan.link }];
    });
    // The guard comes first, so that ports which are no service's never reach this machine's programs.
    await this.#guard([...this.addresses, ...taken.map(({ address }) => address)]);
    await this.#put(taken, seconds);
    for (const holding of taken) this.#held.set(holding.address.toString(), holding);
    await this.#announce(taken);
  }

  /** Renews the lifetime of the addresses that are held. */
  async refresh(seconds: number): Promise<void> {
    await this.#put([...this.#held.values()], seconds);
  }

  /** Repeats the announcement, for hosts that missed the first one. */
  async announceAgain(addresses: readonly Address[]): Promise<void> {
    await this.#announce(addresses.flatMap((address) => this.#held.get(address.toString()) ?? []));
  }

  async release(addresses: readonly Address[]): Promise<void> {
    for (const address of addresses) {
      const holding = this.#held.get(address.toString());
      this.#held.delete(address.toString());
      if (holding !== undefined) await this.#remove(holding);
    }
    await this.#guard(this.addresses);
  }

  async #put(holdings: readonly Holding[], seconds: number): Promise<void> {
    const { ip } = this.#options;
    if (holdings.length === 0) return;
    await ip.batch(
      holdings.map(({ address, link }) => {
        const { family } = address;
        // nodad: no other host has the address, so detection would only delay it. preferred_lft 0: the
        // address is no source for this machine's own connections.
        const words = `valid_lft ${seconds} preferred_lft 0${family === "IPv6" ? " nodad" : ""}`;
        return `address replace ${address}/${bitsOf(family)} dev ${link} ${words}`;
      }),
    );
  }

  async #remove({ address, link }: Holding): Promise<void> {
    const { ip } = this.#options;
    try {
      await ip.batch([`address delete ${address}/${bitsOf(address.family)} dev ${link}`]);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #announce(holdings: readonly Holding[]): Promise<void> {
    const { ip, commands } = this.#options;
    if (holdings.length === 0) return;
    const links = new Map((await ip.links()).map((link) => [link.name, link]));
    const frames = holdings.flatMap(({ address, link }) => {
      const { index, mac } = links.get(link) ?? {};
      if (index === undefined || mac === undefined) return [];
      return [`${index}:${Buffer.from(announcementFrame(address, mac)).toString("hex")}`];
    });
    if (frames.length > 0) await commands.run(["perl", "-e", sendFrames, ...frames]);
  }

  async #guard(addresses: readonly Address[]): Promise<void> {
    const { nft } = this.#options;
    const script = addresses.length === 0 ? undefined : guardScript(addresses);
    if (script === this.#guarded) return;
    if (script === undefined) await nft.deleteTable(guardTable);
    else await nft.apply(script);
    this.#guarded = script;
  }
}

/** A Perl script that sends frames by a raw socket; each argument is a link's index and a frame. */
const sendFrames = `
socket(my $socket, 17, 3, 0) or die "Cannot open a packet socket: $!\\n";
for (@ARGV) {
  my ($index, $frame) = split /:/;
  send($socket, pack("H*", $frame), 0, pack("S n i S C C a8", 17, 0, $index, 0, 0, 6, ""))
    or die "Cannot send on link $index: $!\\n";
}`;
