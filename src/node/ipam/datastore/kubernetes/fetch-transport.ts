import type { Access, Credential } from "../../../../api/client/access.ts";
import { refused, unanswered } from "../../../../api/client/errors.ts";
import { type ApiAnswer, type ApiRequest, actionOf } from "../../../../api/client/transport.ts";
import { defined } from "../../../../base/json/defined.ts";
import { messageOf } from "../../errors.ts";
import type { BunRequestOptions } from "../../runtime.ts";
import type { Sender } from "./sender.ts";

const defaultTimeoutMs = 30_000;
const retries = 4;
const firstDelayMs = 100;

/** Sends requests to the API with Bun's `fetch`, which needs nothing to be loaded. */
export class FetchTransport implements Sender {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async send(request: ApiRequest): Promise<ApiAnswer> {
    const credential = await this.#access.credentials.current();
    const response = await this.#reach(request, credential);
    const body = Buffer.from(await response.arrayBuffer());
    if (!response.ok) {
      const retryAfter = response.headers.get("retry-after") ?? undefined;
      throw refused(actionOf(request), {
        code: response.status,
        body: body.toString(),
        retryAfter,
      });
    }
    return { status: response.status, headers: {}, body };
  }

  close(): void {
    // The connections end with the process.
  }

  /** Sends a request, again if it was never sent; any other failure is for the caller to judge. */
  async #reach(request: ApiRequest, credential: Credential): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await fetch(this.#url(request), this.#options(request, credential));
      } catch (error) {
        const isUnsent = /ConnectionRefused|ECONNREFUSED|FailedToOpenSocket/.test(codeOf(error));
        if (isUnsent && attempt < retries) {
          await new Promise((resolve) => setTimeout(resolve, firstDelayMs * 2 ** attempt));
          continue;
        }
        const reason = reasonOf(error, isUnsent);
        const state = `${this.#access.server.host}: ${messageOf(error)}`;
        throw unanswered(actionOf(request), { reason, state, cause: error });
      }
    }
  }

  #url(request: ApiRequest): string {
    const { server } = this.#access;
    return `${server.origin}${server.pathname.replace(/\/$/, "")}${request.path}`;
  }

  #options(request: ApiRequest, credential: Credential): RequestInit & BunRequestOptions {
    const { authorities, serverName, insecure = false, impersonation } = this.#access;
    const { method, headers, body, timeoutMs = defaultTimeoutMs } = request;
    const all = new Headers({
      accept: "application/json",
      "user-agent": "tandem-ipam",
      ...headers,
    });
    for (const [name, values] of Object.entries(impersonation ?? {})) {
      for (const value of [values].flat()) all.append(name, value);
    }
    if (credential.authorization !== undefined) all.set("authorization", credential.authorization);
    return {
      method,
      headers: all,
      ...defined({ body }),
      signal: AbortSignal.timeout(timeoutMs),
      tls: {
        ca: authorities,
        cert: credential.certificate,
        key: credential.key,
        serverName,
        rejectUnauthorized: !insecure,
      },
    };
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !("code" in error)) return "";
  return String(error.code);
}

function reasonOf(error: unknown, isUnsent: boolean) {
  if (error instanceof Error && error.name === "TimeoutError") return "TimedOut";
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(codeOf(error))) return "Untrusted";
  return isUnsent ? "Unreachable" : "ConnectionLost";
}
