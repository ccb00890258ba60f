// Resolves queries: names of the cluster from its zone, at once; others by asking upstream.

import type { Recursion } from "./forward/recursion.ts";
import type { DnsMetrics, Protocol } from "./metrics.ts";
import { classes, flags, rcodes, typeName, types } from "./wire/codes.ts";
import type { Name } from "./wire/name.ts";
import { isRefusal, type Query, readQuery } from "./wire/query.ts";
import type { DnsRecord } from "./wire/record.ts";
import {
  datagramLimit,
  errorReply,
  type Reply,
  refuse,
  serverFailure,
  writeReply,
} from "./wire/reply.ts";
import { encodeSections } from "./wire/sections.ts";
import { answerRecords } from "./wire/upstream-answer.ts";
import type { Zone } from "./zone/zone.ts";

export interface ResolverOptions {
  readonly zone: Zone;
  /** Whether the cluster has been read; until then it is not known which names exist. */
  readonly isReady: () => boolean;
  /** Whether a name outside of the zone is one that only this cluster can know. */
  readonly isOurs: (name: Name) => boolean;
  readonly recursion: Recursion;
  readonly metrics: DnsMetrics;
  /** The names that the client's search list would try next if the name does not exist. */
  readonly searchedNext?: (name: Name, asker: string) => readonly Name[];
}

/** The protocol and the client address of a query. */
export interface Origin {
  readonly protocol: Protocol;
  readonly from: { readonly address: string; readonly port: number };
}

/** The longest chain of CNAMEs that is followed. */
const longestChain = 10;
const largestMessage = 65_535;

const refused = errorReply(rcodes.REFUSED);

export class Resolver {
  readonly #options: ResolverOptions;
  #turn = 0;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  /** The reply to a message, at once where possible; undefined for messages that must not be answered. */
  respond(message: Buffer, { protocol, from }: Origin): Buffer | Promise<Buffer> | undefined {
    const { metrics } = this.#options;
    const query = readQuery(message);
    if (query === undefined) {
      metrics.dropped.increment();
      return undefined;
    }
    if (isRefusal(query)) {
      metrics.responses(query.rcode).increment();
      return refuse(query);
    }
    metrics.requests.with(protocol, knownType(query.type)).increment();
    const reply = this.#reply(query, from.address);
    if (reply instanceof Promise) return reply.then((late) => this.#write(query, late, protocol));
    return this.#write(query, reply, protocol);
  }

  #write(query: Query, reply: Reply, protocol: Protocol): Buffer {
    const { metrics, recursion } = this.#options;
    metrics.responses(reply.rcode).increment();
    this.#turn = (this.#turn + 1) & 0xffffff;
    return writeReply(query, reply, {
      limit: protocol === "udp" ? datagramLimit(query) : largestMessage,
      recursionAvailable: recursion.isAvailable,
      turn: this.#turn,
    });
  }

  #reply(query: Query, asker: string): Reply | Promise<Reply> {
    if (query.edns !== undefined && query.edns.version > 0) return errorReply(rcodes.BADVERS);
    const { zone, isReady } = this.#options;
    const { name, type } = query;
    if (query.class !== classes.IN || type === types.AXFR || type === types.IXFR) return refused;
    const node = zone.get(name);
    if (node === undefined || node.isEmpty) {
      if (!this.#isLocal(name)) return this.#forward(query);
      if (!isReady()) return serverFailure;
      return node === undefined ? this.#search(query, asker) : this.#nothing(name, rcodes.NOERROR);
    }
    const sections = zone.answer(node, type);
    if (sections !== undefined) return { rcode: rcodes.NOERROR, isAuthoritative: true, sections };
    if (node.alias !== undefined) return this.#follow(query, node.alias);
    return this.#nothing(name, rcodes.NOERROR);
  }

  /** Resolves the name that the client's search list would find, to save it the other queries. */
  #search(query: Query, asker: string): Reply | Promise<Reply> {
    const { zone, recursion, searchedNext } = this.#options;
    for (const target of searchedNext?.(query.name, asker) ?? []) {
      const alias: DnsRecord = { name: query.name, ttl: zone.ttl, data: { kind: "alias", target } };
      const isThere = zone.get(target)?.isEmpty === false;
      if (isThere) return this.#follow(query, alias);
      if (!this.#isLocal(target) && recursion.isAvailable) return this.#searchOutside(query, alias);
    }
    return this.#nothing(query.name, rcodes.NXDOMAIN);
  }

  /** Follows a CNAME upstream; a name that does not exist is left to the client, which may search further. */
  async #searchOutside(query: Query, alias: DnsRecord): Promise<Reply> {
    const reply = await this.#follow(query, alias);
    return reply.rcode === rcodes.NOERROR ? reply : this.#nothing(query.name, rcodes.NXDOMAIN);
  }

  #isLocal(name: Name): boolean {
    const { zone, isOurs } = this.#options;
    return zone.contains(name) || isOurs(name);
  }

  /** A negative reply: NXDOMAIN when the name does not exist, NOERROR when it has no records of the type. */
  #nothing(name: Name, rcode: number): Reply {
    return { rcode, isAuthoritative: true, sections: this.#options.zone.negative(name) };
  }

  /** Follows CNAMEs to the records asked for; names outside of the zone are asked for upstream. */
  #follow(query: Query, first: DnsRecord): Reply | Promise<Reply> {
    const { zone } = this.#options;
    const answers = [first];
    const seen = new Set([query.name]);
    for (let alias: DnsRecord | undefined = first; alias !== undefined; ) {
      const target = alias.data.kind === "alias" ? alias.data.target : "";
      if (seen.has(target) || seen.size > longestChain) return serverFailure;
      seen.add(target);
      const node = zone.get(target);
      if (node === undefined || node.isEmpty) {
        if (!this.#isLocal(target)) return this.#followOutside(query, answers, target);
        const rcode = node === undefined ? rcodes.NXDOMAIN : rcodes.NOERROR;
        return { rcode, ...this.#chain(query, answers, target) };
      }
      const found = zone.records(node, query.type);
      answers.push(...found);
      if (found.length > 0) return { rcode: rcodes.NOERROR, ...this.#chain(query, answers) };
      alias = node.alias;
      if (alias === undefined) {
        return { rcode: rcodes.NOERROR, ...this.#chain(query, answers, target) };
      }
      answers.push(alias);
    }
    return serverFailure;
  }

  #chain(
    { name }: Query,
    answers: readonly DnsRecord[],
    missing?: Name,
  ): Pick<Reply, "isAuthoritative" | "sections"> {
    const { zone } = this.#options;
    const authorities = missing === undefined ? [] : [zone.authorityFor(missing)];
    return { isAuthoritative: true, sections: encodeSections(name, { answers, authorities }) };
  }

  async #followOutside(query: Query, answers: readonly DnsRecord[], target: Name): Promise<Reply> {
    const { recursion } = this.#options;
    if (!recursion.isAvailable) return { rcode: rcodes.NOERROR, ...this.#chain(query, answers) };
    const question = { ...upstreamQuestion(query), name: target };
    const { rcode, sections } = await recursion.ask(question);
    const further = answerRecords(question, sections);
    return { rcode, ...this.#chain(query, [...answers, ...further]) };
  }

  #forward(query: Query): Reply | Promise<Reply> {
    const { recursion } = this.#options;
    const isWanted = (query.flags & flags.recursionDesired) !== 0;
    return isWanted && recursion.isAvailable ? recursion.ask(upstreamQuestion(query)) : refused;
  }
}

function upstreamQuestion({ name, type, flags: word, edns }: Query) {
  return {
    name,
    type,
    dnssecOk: edns?.dnssecOk ?? false,
    checkingDisabled: (word & flags.checkingDisabled) !== 0,
  };
}

/** The label of a type in metrics: anyone can make up types, so those without a name are counted as one. */
function knownType(type: number): string {
  const name = typeName(type);
  return name.startsWith("TYPE") ? "other" : name;
}
