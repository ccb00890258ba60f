// One connection at a time to one of several members; when it is lost, the next member is tried.

import type { Clock } from "../host/clock.ts";
import type { Random } from "../host/random.ts";
import { messageOf } from "../program/errors.ts";
import { EtcdError } from "./errors.ts";
import { Session, type TlsSource } from "./session.system.ts";

export interface ConnectionOptions {
  /** The members: `http://host:port` or `https://host:port`, at least one. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsSource | undefined;
  readonly clock: Clock;
  readonly random: Random;
}

interface PauseOptions {
  readonly atMost?: number;
  readonly signal?: AbortSignal | undefined;
}

const connectTimeoutMs = 3000;
const shortestPause = 50;
const longestPause = 5000;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  #next: number;
  #session: Session | undefined;
  #connecting: Promise<Session> | undefined;
  /** The count of failures since something last worked. */
  #failures = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    // A random first member spreads clients that start together over the cluster.
    this.#next = Math.floor(options.random.fraction() * options.endpoints.length);
  }

  /** The session that works, as far as is known; undefined when there is none. */
  get current(): Session | undefined {
    return this.#session?.isUsable ? this.#session : undefined;
  }

  /** The current session, or a new one; tries one member after another, once each. */
  async session(): Promise<Session> {
    if (this.#closing.signal.aborted) throw closed();
    if (this.current !== undefined) return this.current;
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  /** Notes a success: pauses between attempts start short again. */
  worked(): void {
    this.#failures = 0;
  }

  /** Leaves a session for another member, unless that has happened already. */
  leave(session: Session): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    this.#next += 1;
    session.close();
  }

  /** Waits before the next attempt: longer after each failure, with jitter. */
  async pause({ atMost = longestPause, signal }: PauseOptions = {}): Promise<void> {
    const { clock, random } = this.#options;
    const longest = Math.min(shortestPause * 2 ** this.#failures, atMost);
    this.#failures += 1;
    const closing = this.#closing.signal;
    const either = signal === undefined ? closing : AbortSignal.any([signal, closing]);
    await clock.sleep(longest * (0.5 + random.fraction() / 2), either);
  }

  close(): void {
    this.#closing.abort(closed());
    this.#session?.destroy();
  }

  async #connect(): Promise<Session> {
    try {
      this.#session = await this.#tryAll();
      return this.#session;
    } finally {
      this.#connecting = undefined;
    }
  }

  async #tryAll(): Promise<Session> {
    const { endpoints, tls } = this.#options;
    const { signal } = this.#closing;
    const errors: unknown[] = [];
    for (const _ of endpoints) {
      const endpoint = endpoints[this.#next % endpoints.length] as string;
      try {
        return await Session.open({ endpoint, tls, timeoutMs: connectTimeoutMs, signal });
      } catch (error) {
        signal.throwIfAborted();
        this.#next += 1;
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    const message = `Cannot connect to etcd: ${errors.map(messageOf).join("; ")}`;
    throw new EtcdError(message, { reason: "unavailable", cause: new AggregateError(errors) });
  }
}

function closed(): EtcdError {
  return new EtcdError("Cannot use the etcd client: it is closed", { reason: "closed" });
}
