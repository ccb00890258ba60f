// Ends established connections that policies now deny: their conntrack entries are deleted, and packets still
// sent on them are answered with a reset. Deleting the entries alone is not enough, since the kernel would
// take a reply for the start of a connection in the other direction.

import type { CallOptions } from "../../../base/host/command.ts";
import type { Conntrack } from "../../../base/host/conntrack.ts";
import type { Nft } from "../../../base/host/nft.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import { tableOf } from "../nftables/words.ts";
import type { ElementBook } from "../plan/element-book.ts";
import { type Flow, type FlowReader, isDenied } from "./flows.ts";

interface Options {
  readonly family: Family;
  readonly book: ElementBook;
  readonly flows: FlowReader;
  readonly conntrack: Conntrack;
  readonly nft: Nft;
  /** Returns the addresses of the node itself. */
  readonly ownAddresses: (options?: CallOptions) => Promise<ReadonlySet<string>>;
}

/** The time for which both ends get resets. */
const toldSeconds = 300;

export class FlowEnder {
  readonly #options: Options;
  #ended = new Map<string, Flow>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Ends the connections that are denied now; returns their number. */
  async end(options?: CallOptions): Promise<number> {
    const { family, book, flows, conntrack, ownAddresses } = this.#options;
    const own = await ownAddresses(options);
    const isOwn = (address: string) => own.has(address);
    const isWrong = (flow: Flow) => isDenied(flow, book, isOwn);
    await this.#allowAgain(isWrong, options);
    const denied = (await flows.list(family, options)).filter(isWrong);
    if (denied.length === 0) return 0;
    await this.#write("add", denied, options);
    for (const flow of denied) this.#ended.set(tuples(flow).join(), flow);
    return conntrack.deleteFlows(
      denied.map((flow) => ({
        family,
        protocol: flow.protocol,
        source: Address.parse(flow.client),
        sourcePort: flow.clientPort,
        destination: Address.parse(flow.target),
        port: flow.targetPort,
      })),
      options,
    );
  }

  /** Forgets the ended connections, since a new table has none of their elements. */
  forget(): void {
    this.#ended = new Map();
  }

  async #allowAgain(isWrong: (flow: Flow) => boolean, options?: CallOptions): Promise<void> {
    const allowed = [...this.#ended].filter(([, flow]) => !isWrong(flow));
    if (allowed.length === 0) return;
    const flows = allowed.map(([, flow]) => flow);
    // An expired element cannot be deleted, so each is added first.
    await this.#write("add", flows, options);
    await this.#write("delete", flows, options);
    for (const [key] of allowed) this.#ended.delete(key);
  }

  async #write(
    verb: "add" | "delete",
    flows: readonly Flow[],
    options?: CallOptions,
  ): Promise<void> {
    const { family: words, name } = tableOf(this.#options.family);
    const rest = verb === "add" ? ` timeout ${toldSeconds}s` : "";
    const elements = flows.flatMap(tuples).map((tuple) => `${tuple}${rest}`);
    const script = `${verb} element ${words} ${name} ended { ${elements.join(", ")} }\n`;
    await this.#options.nft.apply(script, options);
  }
}

/** Returns the tuples of both directions, as the forward chain sees them. */
function tuples({ protocol, client, clientPort, server, serverPort }: Flow): readonly string[] {
  return [
    `${client} . ${server} . ${protocol} . ${clientPort} . ${serverPort}`,
    `${server} . ${client} . ${protocol} . ${serverPort} . ${clientPort}`,
  ];
}
