// A watch that outlives its connections: it resumes after the last revision it has seen.

import type { Connection } from "./connection.ts";
import {
  EtcdError,
  isUnauthenticated,
  isUnavailable,
  isUnknownOutcome,
  reasonOfStatus,
} from "./errors.ts";
import { Mailbox } from "./mailbox.ts";
import { type Event, watchRequest, watchResponse } from "./messages.ts";
import type { Session } from "./session.system.ts";
import type { Tokens } from "./tokens.ts";
import type { Received } from "./wire.ts";

export interface WatchOptions {
  readonly key: string;
  /** The first key behind the range; without it only `key` is watched. */
  readonly rangeEnd?: Uint8Array;
  /** The revision after which events are delivered; when not given, events from now on. */
  readonly after?: number;
  /** Whether events carry the previous value. */
  readonly prevKv?: boolean;
  readonly signal: AbortSignal;
}

export interface WatchBatch {
  /** The revision up to which everything has been delivered; events of one revision are never split. */
  readonly revision: number;
  /** The events; empty when the batch only reports progress. */
  readonly events: readonly Event[];
}

/** The bytes that may wait for a consumer; a slower one is cut off, and resumes from where it stands. */
const mostWaiting = 4 << 20;
const path = "/etcdserverpb.Watch/Watch";

export async function* watch(
  connection: Connection,
  tokens: Tokens,
  options: WatchOptions,
): AsyncGenerator<WatchBatch> {
  const { signal } = options;
  let seen = options.after;
  while (!signal.aborted) {
    let session: Session | undefined;
    let token: string | undefined;
    try {
      session = await connection.session();
      token = await tokens.get(session);
      for await (const batch of follow(session, token, { ...options, after: seen })) {
        connection.worked();
        seen = batch.revision;
        yield batch;
      }
    } catch (error) {
      if (isUnauthenticated(error) && (await tokens.forget(token))) continue;
      if (!isUnavailable(error) && !isUnknownOutcome(error)) throw error;
      if (session !== undefined) connection.leave(session);
      if (!signal.aborted) await pause(connection, signal);
    }
  }
}

/** Follows one stream. Ends when the signal aborts or the consumer is too slow; throws when it is lost. */
async function* follow(
  session: Session,
  token: string | undefined,
  options: Omit<WatchOptions, "after"> & { readonly after: number | undefined },
): AsyncGenerator<WatchBatch> {
  const { key, rangeEnd, prevKv, after, signal } = options;
  if (signal.aborted) return;
  const mailbox = new Mailbox<WatchBatch>(mostWaiting);
  const collector = new Collector(after);
  const onMessage = (message: Buffer): void => {
    try {
      const batch = collector.take(watchResponse.decode(message));
      if (batch !== undefined && !mailbox.put(batch, message.length)) mailbox.close();
    } catch (error) {
      mailbox.close(error as Error);
    }
  };
  const stream = session.start({ path, token, onMessage });
  const end = (): void => mailbox.close();
  signal.addEventListener("abort", end, { once: true });
  stream.done.then(
    () =>
      mailbox.close(new EtcdError("Cannot watch: etcd ended the call", { reason: "unavailable" })),
    (error: Error) => mailbox.close(error),
  );
  try {
    // The watch starts at the revision seen last, not one later, so that etcd reports when it has compacted
    // what follows: one revision later it would not notice that a deletion is gone.
    const startRevision = after === undefined ? 0 : Math.max(after, 1);
    const create = { key, rangeEnd, startRevision, prevKv, progressNotify: true, fragment: true };
    stream.send(watchRequest.encode({ create }));
    yield* mailbox;
  } finally {
    signal.removeEventListener("abort", end);
    stream.cancel();
  }
}

/** Collects answers into batches: joins fragments, drops events that have been seen. */
class Collector {
  #seen: number | undefined;
  #fragments: Event[] = [];

  constructor(seen: number | undefined) {
    this.#seen = seen;
  }

  take(response: Received<typeof watchResponse>): WatchBatch | undefined {
    const { header, created, canceled, fragment } = response;
    if (canceled) throw cancelled(response);
    this.#fragments.push(...response.events);
    if (fragment || header === undefined) return undefined;
    const events = this.#fragments.filter(({ kv }) => (kv?.modRevision ?? 0) > (this.#seen ?? 0));
    this.#fragments = [];
    const last = events.at(-1)?.kv?.modRevision;
    if (last !== undefined) return this.#batch(last, events);
    if (response.events.length > 0) return undefined;
    // The revision in which a watch was created covers what lies before only if the watch starts from now.
    if (created && this.#seen !== undefined) return undefined;
    return this.#batch(header.revision, events);
  }

  #batch(revision: number, events: readonly Event[]): WatchBatch | undefined {
    if (this.#seen !== undefined && revision <= this.#seen) return undefined;
    this.#seen = revision;
    return { revision, events };
  }
}

function cancelled({ compactRevision, cancelReason }: Received<typeof watchResponse>): EtcdError {
  if (compactRevision > 0) {
    const message = `Cannot watch: etcd is compacted up to revision ${compactRevision}`;
    return new EtcdError(message, { reason: "compacted" });
  }
  const reason = cancelReason === "" ? "unavailable" : reasonOfStatus(14, cancelReason);
  return new EtcdError(`Cannot watch: ${cancelReason || "etcd has cancelled it"}`, { reason });
}

async function pause(connection: Connection, signal: AbortSignal): Promise<void> {
  try {
    await connection.pause({ signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
