// Unary calls: their timeouts, which of them are retried, and which must not be.

import type { Connection } from "./connection.ts";
import { EtcdError, isUnauthenticated, isUnavailable, isUnknownOutcome } from "./errors.ts";
import { authenticateRequest, authenticateResponse } from "./messages.ts";
import type { Session } from "./session.system.ts";
import { Tokens, type User } from "./tokens.ts";
import type { Message } from "./wire.ts";

export interface Method<Request, Response> {
  /** The gRPC path: `/package.Service/Method`. */
  readonly path: string;
  readonly request: Message<unknown, Request>;
  readonly response: Message<Response, never>;
  /** Whether the call may be carried out twice without a difference, so that it can be retried. */
  readonly isRepeatable: boolean;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The timeout for all attempts together; the client's when not given. */
  readonly timeoutMs?: number | undefined;
}

interface CallsOptions {
  readonly user: User | undefined;
  readonly timeoutMs: number;
}

interface Attempt {
  readonly path: string;
  readonly request: Buffer;
  readonly token?: string | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export class Calls {
  readonly tokens: Tokens;
  readonly #connection: Connection;
  readonly #timeoutMs: number;

  constructor(connection: Connection, { user, timeoutMs }: CallsOptions) {
    this.#connection = connection;
    this.#timeoutMs = timeoutMs;
    this.tokens = new Tokens(user, (session, one) => authenticate(session, one, timeoutMs));
  }

  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { signal, timeoutMs = this.#timeoutMs }: CallOptions = {},
  ): Promise<Response> {
    const connection = this.#connection;
    const encoded = method.request.encode(request);
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      let session: Session | undefined;
      let token: string | undefined;
      try {
        const wait = { timeoutMs: Math.max(deadline - performance.now(), 0), signal };
        session = connection.current ?? (await within(connection.session(), wait));
        token = await this.tokens.get(session);
        const left = Math.max(deadline - performance.now(), 1);
        const { path } = method;
        const answer = await attempt(session, {
          path,
          request: encoded,
          token,
          timeoutMs: left,
          signal,
        });
        connection.worked();
        return method.response.decode(answer);
      } catch (error) {
        signal?.throwIfAborted();
        if (isUnauthenticated(error) && (await this.tokens.forget(token))) continue;
        const isLost = isUnavailable(error) || isUnknownOutcome(error);
        if (session !== undefined && isLost) connection.leave(session);
        const mayRepeat = isUnavailable(error) || (isUnknownOutcome(error) && method.isRepeatable);
        const left = deadline - performance.now();
        if (!mayRepeat || left <= 0) throw method.isRepeatable ? asUnavailable(error) : error;
        await connection.pause({ atMost: left, signal });
      }
    }
  }
}

/** Sends one request and waits for its one answer. */
async function attempt(session: Session, options: Attempt): Promise<Buffer> {
  const { path, request, token, timeoutMs, signal } = options;
  signal?.throwIfAborted();
  let answer: Buffer | undefined;
  const onMessage = (message: Buffer): void => {
    answer = message;
  };
  const stream = session.start({ path, token, timeoutMs, onMessage });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stream.cancel();
  }, timeoutMs);
  signal?.addEventListener("abort", stream.cancel, { once: true });
  try {
    stream.send(request);
    stream.end();
    await stream.done;
  } catch (error) {
    if (!isLate) throw error;
    const message = `Cannot call ${path} of etcd at ${session.endpoint}: no answer in time`;
    throw new EtcdError(message, { reason: "unknown-outcome", cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stream.cancel);
  }
  if (answer !== undefined) return answer;
  const message = `Cannot call ${path} of etcd at ${session.endpoint}: the answer was empty`;
  throw new EtcdError(message, { reason: "failed" });
}

interface Wait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Waits for a shared promise, which goes on without this caller when the time is up. */
function within<T>(promise: Promise<T>, { timeoutMs, signal }: Wait): Promise<T> {
  return new Promise((resolve, reject) => {
    const message = `Cannot connect to etcd within ${Math.round(timeoutMs)} ms`;
    const late = (): void => reject(new EtcdError(message, { reason: "unavailable" }));
    const abort = (): void => reject(signal?.reason as Error);
    const timer = setTimeout(late, timeoutMs);
    signal?.addEventListener("abort", abort, { once: true });
    if (signal?.aborted) abort();
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    });
  });
}

async function authenticate(
  session: Session,
  { name, password }: User,
  timeoutMs: number,
): Promise<string> {
  const request = authenticateRequest.encode({ name, password });
  const path = "/etcdserverpb.Auth/Authenticate";
  const answer = await attempt(session, { path, request, timeoutMs });
  return authenticateResponse.decode(answer).token;
}

/** Turns "unknown outcome" into "unavailable", for calls that change nothing and so have no outcome. */
function asUnavailable(error: unknown): unknown {
  if (!isUnknownOutcome(error)) return error;
  return new EtcdError(error.message, { reason: "unavailable", cause: error });
}
