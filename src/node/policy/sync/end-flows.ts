// Ends connections that policies have come to deny: the kernel forgets them, and what is still sent on them
// is answered with a reset. Forgetting alone is not enough, since the kernel would take an answer for the
// beginning of a connection the other way round.

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
  /** Addresses of the node itself. */
  readonly ownAddresses: (options?: CallOptions) => Promise<ReadonlySet<string>>;
}

/** How long both ends are told. */
const toldSeconds = 300;

export class FlowEnder {
  readonly #options: Options;
  #ended = new Map<string, Flow>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Returns how many there were. */
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

  /** A new table knows of none. */
  forget(): void {
    this.#ended = new Map();
  }

  async #allowAgain(isWrong: (flow: Flow) => boolean, options?: CallOptions): Promise<void> {
    const allowed = [...this.#ended].filter(([, flow]) => !isWrong(flow));
    if (allowed.length === 0) return;
    const flows = allowed.map(([, flow]) => flow);
    // An element whose time is over cannot be deleted: it is added first.
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

/** As packets of both directions are seen where they are forwarded. */
function tuples({ protocol, client, clientPort, server, serverPort }: Flow): readonly string[] {
  return [
    `${client} . ${server} . ${protocol} . ${clientPort} . ${serverPort}`,
    `${server} . ${client} . ${protocol} . ${serverPort} . ${clientPort}`,
  ];
}
