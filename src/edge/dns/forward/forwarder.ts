// Asks upstream servers: the first that is healthy, then the others.

import type { Clock } from "../../../base/host/clock.ts";
import { formatListenAddress } from "../../../base/program/listen.system.ts";
import type { Log } from "../../../base/program/log.ts";
import type { HostPort } from "../../../base/program/network-option-types.ts";
import { rcodes } from "../wire/codes.ts";
import type { UpstreamAnswer } from "../wire/upstream-answer.ts";
import type { Exchange, UpstreamQuestion } from "./exchange.system.ts";

export interface ForwarderOptions {
  readonly servers: readonly HostPort[];
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly log: Log;
  readonly onOutcome: (server: string, outcome: "answered" | "failed") => void;
}

/** The time for which a server that failed twice in a row is asked last. */
const penaltyMs = 10_000;
const failuresToPenalty = 2;
/** The codes that tell of trouble on the server's side: another server may do better. */
const troubled: ReadonlySet<number> = new Set([rcodes.SERVFAIL, rcodes.NOTIMP, rcodes.REFUSED]);

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #servers: Server[];
  readonly #underWay = new Map<string, Promise<UpstreamAnswer>>();

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#servers = options.servers.map((address) => ({
      address,
      text: formatListenAddress(address),
      failures: 0,
      avoidUntil: 0,
      isLooping: false,
    }));
  }

  get servers(): readonly HostPort[] {
    return this.#servers.map(({ address }) => address);
  }

  get isUseful(): boolean {
    return this.#servers.some(({ isLooping }) => !isLooping);
  }

  /** Asks upstream; identical queries that are under way at the same time are sent once. */
  async ask(question: UpstreamQuestion): Promise<UpstreamAnswer> {
    const key = keyOfQuestion(question);
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return await underWay;
    const asking = this.#ask(question);
    this.#underWay.set(key, asking);
    try {
      return await asking;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** Excludes a server for good: queries sent to it come back to us. */
  leaveOut(index: number): void {
    const server = this.#servers[index];
    if (server === undefined || server.isLooping) return;
    server.isLooping = true;
    this.#options.log.error("An upstream forwards to this server: it is asked no more", {
      upstream: server.text,
    });
  }

  async #ask(question: UpstreamQuestion): Promise<UpstreamAnswer> {
    const { exchange, onOutcome } = this.#options;
    let last: UpstreamAnswer | undefined;
    let problem: unknown = new Error("Cannot forward: there is no upstream");
    for (const server of this.#inOrder()) {
      try {
        const answer = await exchange(server.address, question);
        this.#succeeded(server);
        onOutcome(server.text, "answered");
        if (!troubled.has(answer.rcode)) return answer;
        last ??= answer;
      } catch (error) {
        problem = error;
        this.#failed(server, error);
        onOutcome(server.text, "failed");
      }
    }
    if (last !== undefined) return last;
    throw problem;
  }

  #inOrder(): Server[] {
    const now = this.#options.clock.monotonic();
    const usable = this.#servers.filter(({ isLooping }) => !isLooping);
    return usable.toSorted((a, b) => Number(a.avoidUntil > now) - Number(b.avoidUntil > now));
  }

  #succeeded(server: Server): void {
    if (server.failures >= failuresToPenalty) {
      this.#options.log.info("An upstream answers again", { upstream: server.text });
    }
    server.failures = 0;
    server.avoidUntil = 0;
  }

  #failed(server: Server, error: unknown): void {
    server.failures += 1;
    if (server.failures < failuresToPenalty) return;
    if (server.failures === failuresToPenalty) {
      this.#options.log.warn("An upstream does not answer", { upstream: server.text, error });
    }
    server.avoidUntil = this.#options.clock.monotonic() + penaltyMs;
  }
}

export function keyOfQuestion(question: UpstreamQuestion): string {
  const { name, type, dnssecOk, checkingDisabled } = question;
  return `${type} ${Number(dnssecOk)}${Number(checkingDisabled)} ${name}`;
}

interface Server {
  readonly address: HostPort;
  readonly text: string;
  failures: number;
  avoidUntil: number;
  isLooping: boolean;
}
