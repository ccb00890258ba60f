// Answers for names outside of the cluster: from the cache, or from upstream.

import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Log } from "../../../base/program/log.ts";
import type { DnsMetrics } from "../metrics.ts";
import { type Name, nameOf, under } from "../wire/name.ts";
import { type Reply, serverFailure } from "../wire/reply.ts";
import type { AnswerCache, Cached } from "./cache.ts";
import type { Exchange, UpstreamQuestion } from "./exchange.system.ts";
import { type Forwarder, keyOfQuestion } from "./forwarder.ts";

export interface RecursionOptions {
  readonly forwarder: Forwarder;
  readonly cache: AnswerCache;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: DnsMetrics;
  readonly log: Log;
}

/** The limit of queries that wait for upstream at once; more of them fail, so that memory is bounded. */
const mostWaiting = 5_000;
/** The type of probes: HINFO, which hardly any client asks for. */
const probeType = 13;

export class Recursion {
  readonly #options: RecursionOptions;
  /** The names of loop probes, each with the upstream that it was sent to. They may come back late. */
  readonly #probes = new Map<Name, number>();
  #waiting = 0;

  constructor(options: RecursionOptions) {
    this.#options = options;
  }

  get isAvailable(): boolean {
    return this.#options.forwarder.isUseful;
  }

  ask(question: UpstreamQuestion): Reply | Promise<Reply> {
    const { cache, metrics } = this.#options;
    const key = keyOfQuestion(question);
    const known = cache.get(key);
    if (known === undefined) return this.#askUpstream(key, question);
    metrics.cacheHits.increment();
    if (cache.isDue(known)) this.#refresh(key, question, known);
    return this.#replyOf(known);
  }

  /** Detects forwarding loops: asks each upstream for a unique name, which must not be asked for here. */
  async findLoops(): Promise<void> {
    const { forwarder, exchange, random, log } = this.#options;
    await Promise.all(
      forwarder.servers.map(async (server, index) => {
        const label = Buffer.from(random.bytes(12)).toString("hex");
        const name = under(label, nameOf("loop-check"));
        this.#probes.set(name, index);
        const question = { name, type: probeType, dnssecOk: false, checkingDisabled: false };
        try {
          await exchange(server, question);
        } catch (error) {
          log.debug("Cannot look for a loop", { error });
        }
      }),
    );
  }

  async #askUpstream(key: string, question: UpstreamQuestion): Promise<Reply> {
    const { forwarder, cache, metrics, clock, log } = this.#options;
    const looping = this.#probes.get(question.name);
    if (looping !== undefined) {
      forwarder.leaveOut(looping);
      return serverFailure;
    }
    metrics.cacheMisses.increment();
    if (this.#waiting >= mostWaiting) return serverFailure;
    this.#waiting += 1;
    const started = clock.monotonic();
    try {
      const answer = await forwarder.ask(question);
      cache.put(key, answer);
      const { rcode, sections, isAuthentic } = answer;
      return { rcode, sections, isAuthentic, isAuthoritative: false };
    } catch (error) {
      log.debug("Cannot answer", { error });
      return this.#stale(key);
    } finally {
      this.#waiting -= 1;
      metrics.forwardSeconds.observe((clock.monotonic() - started) / 1000);
    }
  }

  #stale(key: string): Reply {
    const { cache, metrics } = this.#options;
    const old = cache.getStale(key);
    if (old === undefined) return serverFailure;
    metrics.cacheStale.increment();
    return this.#replyOf(old);
  }

  #refresh(key: string, question: UpstreamQuestion, entry: Cached): void {
    const { forwarder, cache, metrics, log } = this.#options;
    entry.isRefreshing = true;
    metrics.cachePrefetches.increment();
    forwarder.ask(question).then(
      (answer) => cache.put(key, answer),
      (error: unknown) => {
        entry.isRefreshing = false;
        log.debug("Cannot prefetch", { error });
      },
    );
  }

  #replyOf(entry: Cached): Reply {
    const { rcode, isAuthentic } = entry.answer;
    const sections = this.#options.cache.sections(entry);
    return { rcode, isAuthentic, isAuthoritative: false, sections };
  }
}
