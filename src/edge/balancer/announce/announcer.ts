// Holds the load balancer addresses that are placed on this node: they are on its links, and announced to the
// LAN.

import type { Client } from "../../../api/client/client.ts";
import { type Again, Controller } from "../../../api/client/controller.ts";
import type { Informer, Informers } from "../../../api/client/informer.ts";
import { serviceKeysOf } from "../../../api/kinds/discovery.ts";
import type { Node, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { type Clock, pause } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Ip, LinkAddress } from "../../../base/host/ip.ts";
import type { Nft } from "../../../base/host/nft.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import type { Part } from "../../../base/program/run-all.ts";
import { isOurs } from "../allocate/claim.ts";
import { relevantChanges, versionIf } from "../relevant-changes.ts";
import { Holdings } from "./holdings.ts";
import { Membership } from "./membership.ts";
import { isAnyInTouch } from "./peers.ts";
import { balancedAddresses, fitNodes, holderOf } from "./placement.ts";
import { type AnnounceTimes, defaultTimes } from "./times.ts";

export interface AnnouncerOptions {
  readonly client: Client;
  readonly nodeName: string;
  /** The commands, which act on the network of the node. */
  readonly commands: Commands;
  readonly ip: Ip;
  readonly nft: Nft;
  /** The port at which other announcers query this one. */
  readonly peerPort: number;
  readonly times?: AnnounceTimes;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Registry;
}

const everything = "all";
/** The shortest pause between renewals, so that an API that refuses at once is not hammered. */
const shortestPauseMs = 100;
/** The delays after which an announcement is repeated, should a frame get lost. */
const repeatsMs = [200, 1_000, 3_000];

export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #times: AnnounceTimes;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  readonly #nodes: Informer<Node>;
  readonly #membership: Membership;
  readonly #holdings: Holdings;
  readonly #controller: Controller;
  /** The addresses that another node has taken over, each with the time until which it is kept here. */
  readonly #handedOver = new Map<string, number>();
  readonly #held;

  constructor(options: AnnouncerOptions, informers: Informers) {
    const { client, times = defaultTimes, metrics } = options;
    this.#options = options;
    this.#times = times;
    this.#services = informers.of(client.resource("v1", "Service"));
    this.#slices = informers.of(client.resource("discovery.k8s.io/v1", "EndpointSlice"), {
      indexes: [serviceKeysOf],
    });
    this.#nodes = informers.of(client.resource("v1", "Node"));
    this.#membership = new Membership({ ...options, informers, nodes: this.#nodes, times });
    this.#holdings = new Holdings(options);
    this.#held = metrics.gauge("tandem_balancer_held_addresses", {
      help: "Addresses of load balancers that this node has.",
    });
    this.#controller = new Controller({
      ...options,
      name: "announcer",
      sources: [
        relevantChanges(this.#services, versionIf(isOurs), everything),
        this.#slices.mapped((slice) => (this.#isLocal(slice) ? [everything] : [])),
        relevantChanges(
          this.#nodes,
          ({ metadata, status }) => [
            metadata.labels,
            (status?.conditions ?? []).find(({ type }) => type === "Ready")?.status,
          ],
          everything,
        ),
        this.#membership.source.mapped(() => [everything]),
      ],
      backOff: { initialMs: 100, maximumMs: 1_000 },
      reconcile: () => this.#reconcile(),
    });
  }

  /** Whether this node is in touch with the API, and ready to take over what another has lost. */
  get isWitness(): boolean {
    return this.#membership.isWitness;
  }

  get parts(): Part[] {
    return [
      this.#controller,
      { name: "renewal", run: (signal) => this.#renew(signal) },
      { name: "holding", run: (signal) => this.#hold(signal) },
    ];
  }

  /** Releases the addresses, then deletes the lease that tells others that they are taken. */
  async leave(): Promise<void> {
    await this.#holdings.release(this.#holdings.addresses);
    await this.#membership.leave();
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    await Promise.race([this.#nodes.synced, aborted(signal)]);
    while (!signal.aborted) {
      const begun = clock.monotonic();
      const wasMember = this.#membership.isMember;
      try {
        const lans = await this.#holdings.lans();
        const networks = lans.map(({ prefix }) => prefix);
        const holds = this.#holdings.addresses;
        await this.#membership.renew({ networks, holds, peer: this.#peerAddress(lans) }, signal);
        // Announced again: another node may have held them meanwhile, and hosts on the LAN may still send to
        // it.
        if (!wasMember) this.#repeat(holds);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("Cannot renew the announcer's lease", { error });
      }
      const rest = begun + this.#times.renewMs - clock.monotonic();
      await pause(clock, Math.max(shortestPauseMs, rest), signal);
    }
  }

  /** Refreshes the lifetimes of addresses; the kernel removes those of a program that hangs or is killed. */
  async #hold(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#keepOrLose();
      } catch (error) {
        log.warn("Cannot keep addresses", { error });
      }
      // A node whose lease expires causes no event, so placement is reconciled on a timer as well.
      this.#controller.enqueue(everything);
      await pause(clock, this.#times.renewMs / 2, signal);
    }
  }

  async #keepOrLose(): Promise<void> {
    const { log } = this.#options;
    const { isInTouch, isMember, secondsLeft, peers } = this.#membership;
    if (this.#holdings.addresses.length === 0) return;
    if (!isInTouch && !(await isAnyInTouch(peers))) {
      await this.#holdings.refresh(this.#times.holdSeconds);
    } else if (isMember) {
      await this.#holdings.refresh(secondsLeft);
    } else {
      log.warn("The API cannot be reached from here, but by others: they take over");
      await this.#holdings.release(this.#holdings.addresses);
    }
  }

  #peerAddress(lans: readonly LinkAddress[]): string {
    const [own] = lans;
    if (own === undefined) return "";
    const { address } = own;
    return `${address.family === "IPv6" ? `[${address}]` : address}:${this.#options.peerPort}`;
  }

  async #reconcile(): Promise<Again | void> {
    const { nodeName, log } = this.#options;
    // A node that others have not heard of would decide upon an outdated view.
    if (!this.#membership.isSettled) return undefined;
    const living = this.#membership.living();
    // A node that has not seen its own lease would, too: its view is from before the API was away.
    if (!living.some(({ node }) => node === nodeName)) return undefined;
    const nodes = this.#nodes.list();
    const candidates = fitNodes(living, nodes);
    const wanted = new Map<string, Address>();
    const given = new Set<string>();
    const slicesOf = (key: string) => this.#slices.by(serviceKeysOf, key);
    for (const each of balancedAddresses(this.#services.list(), { slicesOf, nodes })) {
      const holder = holderOf(each, candidates);
      if (holder === nodeName) wanted.set(each.address.toString(), each.address);
      else if (holder !== undefined) given.add(each.address.toString());
    }
    const missing = [...wanted.values()].filter((address) => !this.#holdings.has(address));
    if (missing.length > 0) {
      await this.#holdings.take(missing, this.#membership.secondsLeft);
      log.info("Took addresses", { addresses: missing.join(", ") });
      this.#repeat(missing);
    }
    const again = await this.#releaseAllBut(wanted, given);
    this.#held.set(this.#holdings.addresses.length);
    return again;
  }

  /** Releases all other addresses; those that another node takes over stay until it has them. */
  async #releaseAllBut(
    wanted: ReadonlyMap<string, Address>,
    given: ReadonlySet<string>,
  ): Promise<Again | undefined> {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    for (const text of this.#handedOver.keys()) {
      if (wanted.has(text) || !given.has(text)) this.#handedOver.delete(text);
    }
    const surplus = this.#holdings.addresses.filter((address) => !wanted.has(address.toString()));
    const due = surplus.filter((address) => {
      const text = address.toString();
      if (!given.has(text)) return true;
      const until = this.#handedOver.get(text) ?? now + this.#times.handoverMs;
      this.#handedOver.set(text, until);
      return now >= until;
    });
    if (due.length > 0) {
      await this.#holdings.release(due);
      for (const address of due) this.#handedOver.delete(address.toString());
      log.info("Gave addresses up", { addresses: due.join(", ") });
    }
    return this.#handedOver.size === 0 ? undefined : { againInMs: this.#times.handoverMs };
  }

  /** Whether a service of the slice has externalTrafficPolicy Local: only then endpoints' nodes matter. */
  #isLocal(slice: EndpointSlice): boolean {
    return serviceKeysOf(slice).some(
      (key) => this.#services.get(key)?.spec.externalTrafficPolicy === "Local",
    );
  }

  #repeat(addresses: readonly Address[]): void {
    const { clock, log } = this.#options;
    for (const ms of repeatsMs) {
      clock.setTimer(ms, () => {
        this.#holdings
          .announceAgain(addresses)
          .catch((error: unknown) => log.warn("Cannot announce addresses again", { error }));
      });
    }
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  if (!signal.aborted) await promise;
}
