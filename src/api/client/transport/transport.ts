// The HTTP transport to one server: credentials, timeouts and retries.

import type { IncomingMessage } from "node:http";
import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Access, Credential } from "../access.ts";
import { type BackOff, delayAfter } from "../back-off.ts";
import { ApiError, isUnavailable, isUnreachable, refused, unanswered } from "../errors.ts";
import { chunksOf, readAll } from "./body.ts";
import { type Attempt, Connections } from "./connections.system.ts";
import { type Deadline, deadline } from "./deadline.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  type ApiStream,
  type ApiUpgrade,
  actionOf,
  type Transport,
} from "./message.ts";
import { type RateLimit, RateLimiter } from "./rate-limit.ts";

export interface TransportOptions {
  readonly access: Access;
  readonly clock: Clock;
  readonly random: Random;
  readonly userAgent: string;
  /** The rate limit; none when not given. */
  readonly rateLimit?: RateLimit | undefined;
  /** Called for every attempt, with "success" or the reason why it failed. */
  readonly onOutcome?: ((method: string, outcome: string) => void) | undefined;
}

const defaultTimeoutMs = 30_000;
const defaultRetries = 4;
const backOff: BackOff = { initialMs: 100, maximumMs: 2_000 };

export class HttpTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #connections: Connections;
  readonly #limiter: RateLimiter | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#connections = new Connections(options.access);
    this.#limiter = options.rateLimit && new RateLimiter(options.rateLimit, options.clock);
  }

  async send(request: ApiRequest): Promise<ApiAnswer> {
    using limit = this.#deadline(request);
    const { signal } = limit;
    return await this.#persist(request, signal, async (attempt) => {
      const head = await this.#connections.exchange(attempt);
      const body = await readAll(head, { action: actionOf(request), signal });
      if (!isSuccess(head)) throw refusal(request, head, body);
      return { status: head.statusCode ?? 0, headers: head.headers, body };
    });
  }

  async open(request: ApiRequest): Promise<ApiStream> {
    const limit = this.#deadline(request);
    const { signal } = limit;
    const done = () => limit[Symbol.dispose]();
    const action = actionOf(request);
    try {
      const head = await this.#persist(request, signal, async (attempt) => {
        const answer = await this.#connections.exchange(attempt);
        if (isSuccess(answer)) return answer;
        throw refusal(request, answer, await readAll(answer, { action, signal }));
      });
      limit.lift();
      const body = chunksOf(head, { action, signal, done });
      return { status: head.statusCode ?? 0, headers: head.headers, body };
    } catch (error) {
      done();
      throw error;
    }
  }

  async upgrade(request: ApiRequest): Promise<ApiUpgrade> {
    using limit = this.#deadline(request);
    const { signal } = limit;
    return await this.#persist(request, signal, async (attempt) => {
      const { head, socket } = await this.#connections.upgrade(attempt);
      if (socket !== undefined) return { headers: head.headers, socket };
      throw refusal(request, head, await readAll(head, { action: actionOf(request), signal }));
    });
  }

  close(): void {
    this.#connections.close();
  }

  #deadline(request: ApiRequest): Deadline {
    const { signal, timeoutMs = defaultTimeoutMs } = request;
    const state = `no answer within ${timeoutMs} ms`;
    const late = () => unanswered(actionOf(request), { reason: "TimedOut", state });
    return deadline(signal, { clock: this.#options.clock, timeoutMs, late });
  }

  /** Sends a request, with retries as long as they make sense. */
  async #persist<T>(
    request: ApiRequest,
    signal: AbortSignal,
    carryOut: (attempt: Attempt) => Promise<T>,
  ): Promise<T> {
    const { access, clock, random, onOutcome } = this.#options;
    const { credentials } = access;
    let failures = 0;
    let refusedCredential: Credential | undefined;
    for (;;) {
      await this.#limiter?.pass(signal);
      const credential = await credentials.current(signal);
      try {
        const result = await carryOut({
          request,
          credential,
          signal,
          headers: this.#headers(request, credential),
        });
        onOutcome?.(request.method, "success");
        return result;
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError)) throw error;
        onOutcome?.(request.method, error.reason);
        if (error.code === 401 && refusedCredential === undefined) {
          refusedCredential = credential;
          credentials.reject(credential);
          if ((await credentials.current(signal)) !== credential) continue;
        }
        failures += 1;
        if (failures > (request.retries ?? defaultRetries)) throw error;
        const own = isWorthRepeating(request, error)
          ? delayAfter(failures, backOff, random)
          : undefined;
        const wait = error.retryAfterMs ?? own;
        if (wait === undefined) throw error;
        await clock.sleep(wait, signal);
      }
    }
  }

  #headers(request: ApiRequest, { authorization }: Credential): Attempt["headers"] {
    const { userAgent, access } = this.#options;
    const { body } = request;
    return {
      accept: "application/json",
      "user-agent": userAgent,
      ...access.impersonation,
      ...request.headers,
      ...defined({ authorization }),
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    };
  }
}

/** Whether to retry: a request that may have been carried out is repeated only if it is a GET. */
function isWorthRepeating({ method }: ApiRequest, error: ApiError): boolean {
  if (method !== "GET") return isUnreachable(error);
  return error.code === 0 && isUnavailable(error);
}

function refusal(request: ApiRequest, head: IncomingMessage, body: Buffer): ApiError {
  const { statusCode: code = 0, headers } = head;
  const retryAfter = code === 429 || code === 503 ? headers["retry-after"] : undefined;
  return refused(actionOf(request), { code, body: body.toString(), retryAfter });
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}
