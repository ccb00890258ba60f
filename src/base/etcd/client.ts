// An etcd v3 client. See docs/decisions/0005-etcd-client.md.

import { systemClock } from "../host/clock.system.ts";
import type { Clock } from "../host/clock.ts";
import { systemRandom } from "../host/random.system.ts";
import type { Random } from "../host/random.ts";
import { type CallOptions, Calls } from "./calls.ts";
import { Connection } from "./connection.ts";
import { EtcdError } from "./errors.ts";
import type { Member } from "./messages.ts";
import * as methods from "./methods.ts";
import type { TlsSource } from "./session.system.ts";
import type { User } from "./tokens.ts";
import { type WatchBatch, type WatchOptions, watch } from "./watch.ts";
import type { Received, Sent } from "./wire.ts";

export interface EtcdOptions {
  /** The members of one cluster: `https://host:port`, or `http://host:port` in the clear. */
  readonly endpoints: readonly string[];
  /** Certificates and keys, or how to read them: anew for each connection, since they are renewed. */
  readonly tls?: TlsSource | undefined;
  readonly user?: User | undefined;
  /** The timeout of a call with all its attempts; 10 seconds when not given. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface Lease {
  readonly id: number;
  /** The time to live that etcd granted, which may be longer than the one asked for. */
  readonly ttlSeconds: number;
}

type Request<M extends { request: unknown }> = Sent<M["request"]>;
type Answer<M extends { response: unknown }> = Promise<Received<M["response"]>>;

/** An etcd client that connects when it is first used, and again whenever the connection is lost. */
export class EtcdClient {
  readonly #connection: Connection;
  readonly #calls: Calls;
  readonly #clock: Clock;
  readonly #random: Random;

  constructor(options: EtcdOptions) {
    const { clock = systemClock, random = systemRandom, timeoutMs = 10_000 } = options;
    const { endpoints, tls, user } = options;
    if (endpoints.length === 0) {
      throw new EtcdError("Cannot connect to etcd: no endpoints are given", { reason: "invalid" });
    }
    this.#clock = clock;
    this.#random = random;
    this.#connection = new Connection({ endpoints, tls, clock, random });
    this.#calls = new Calls(this.#connection, { user, timeoutMs });
  }

  range(
    request: Request<typeof methods.range>,
    options?: CallOptions,
  ): Answer<typeof methods.range> {
    return this.#calls.call(methods.range, request, options);
  }

  put(request: Request<typeof methods.put>, options?: CallOptions): Answer<typeof methods.put> {
    return this.#calls.call(methods.put, request, options);
  }

  deleteRange(
    request: Request<typeof methods.deleteRange>,
    options?: CallOptions,
  ): Answer<typeof methods.deleteRange> {
    return this.#calls.call(methods.deleteRange, request, options);
  }

  txn(request: Request<typeof methods.txn>, options?: CallOptions): Answer<typeof methods.txn> {
    return this.#calls.call(methods.txn, request, options);
  }

  compact(
    request: Request<typeof methods.compact>,
    options?: CallOptions,
  ): Answer<typeof methods.compact> {
    return this.#calls.call(methods.compact, request, options);
  }

  /** The status of the member that is connected. */
  status(options?: CallOptions): Answer<typeof methods.status> {
    return this.#calls.call(methods.status, {}, options);
  }

  /** The members of the cluster, learners among them. */
  async members(options?: CallOptions): Promise<readonly Member[]> {
    return (await this.#calls.call(methods.memberList, {}, options)).members;
  }

  /** Adds a member that only follows until it is promoted, so that nobody waits for its vote before. */
  async addLearner(peerUrls: readonly string[], options?: CallOptions): Promise<readonly Member[]> {
    const request = { peerUrls, isLearner: true };
    return (await this.#calls.call(methods.memberAdd, request, options)).members;
  }

  async removeMember(id: bigint, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.memberRemove, { id }, options);
  }

  /** Gives a learner its vote; fails while it is behind. */
  async promoteMember(id: bigint, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.memberPromote, { id }, options);
  }

  /** Watches keys until the signal aborts; survives reconnections without a gap or a repeat. */
  watch(options: WatchOptions): AsyncIterable<WatchBatch> {
    return watch(this.#connection, this.#calls.tokens, options);
  }

  async grantLease(ttlSeconds: number, options?: CallOptions): Promise<Lease> {
    // Lease ids are chosen here, since those that etcd chooses are no safe integers.
    const id = 1 + Math.floor(this.#random.fraction() * (Number.MAX_SAFE_INTEGER - 1));
    const request = { id, ttl: Math.ceil(ttlSeconds) };
    const { ttl } = await this.#calls.call(methods.leaseGrant, request, options);
    return { id, ttlSeconds: ttl };
  }

  async revokeLease(id: number, options?: CallOptions): Promise<void> {
    await this.#calls.call(methods.leaseRevoke, { id }, options);
  }

  /** Keeps a lease alive until the signal aborts; throws when the lease has expired or been revoked. */
  async keepLease({ id, ttlSeconds }: Lease, signal: AbortSignal): Promise<void> {
    const third = (ttlSeconds * 1000) / 3;
    try {
      for (;;) {
        const options = { signal, timeoutMs: 2 * third };
        const { ttl } = await this.#calls.call(methods.leaseKeepAlive, { id }, options);
        if (ttl <= 0) {
          throw new EtcdError(`Cannot keep lease ${id}: it is gone`, { reason: "not-found" });
        }
        await this.#clock.sleep(third, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  close(): void {
    this.#connection.close();
  }
}

/** The end of the range of all keys that begin with a prefix. */
export function prefixEnd(prefix: string): Uint8Array {
  const bytes = Buffer.from(prefix);
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0xff) length--;
  if (length === 0) return Uint8Array.of(0);
  const end = Uint8Array.from(bytes.subarray(0, length));
  end[length - 1] = (end[length - 1] as number) + 1;
  return end;
}
