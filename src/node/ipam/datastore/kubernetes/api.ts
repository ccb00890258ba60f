import type { Access } from "../../../../api/client/access.ts";
import {
  ApiError,
  isForbidden,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  isUnavailable,
} from "../../../../api/client/errors.ts";
import type { ApiAnswer, ApiRequest } from "../../../../api/client/transport.ts";
import type { NamedMeta } from "../../../../api/types/meta.ts";
import { IpamError } from "../../errors.ts";
import { bun } from "../../runtime.ts";
import { Gate } from "./gate.ts";
import type { Sender } from "./sender.ts";

/** An object of any kind, as far as storing reservations needs it. */
export interface Named {
  readonly metadata: Readonly<NamedMeta>;
}

const pageSize = 500;
/**
 * The number of concurrent requests: each connection costs a handshake, so a short-lived process uses
 * few.
 */
const requestsAtOnce = bun === undefined ? 32 : 6;

/** The requests that storing reservations in a cluster's API takes. */
export class Api {
  readonly namespace: string;
  readonly #sender: Sender;
  readonly #gate = new Gate(requestsAtOnce);

  constructor(sender: Sender, namespace: string) {
    this.#sender = sender;
    this.namespace = namespace;
  }

  static async open(access: Access): Promise<Api> {
    return new Api(await openSender(access), access.namespace);
  }

  /** Reads an object; undefined when it does not exist. */
  async get<T extends Named>(path: string): Promise<T | undefined> {
    try {
      return await this.#exchange<T>({ method: "GET", path });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends Named>(path: string): Promise<T[]> {
    const items: T[] = [];
    for (let next = ""; ; ) {
      const query = `limit=${pageSize}${next && `&continue=${encodeURIComponent(next)}`}`;
      const page = await this.#exchange<{
        readonly items?: readonly T[];
        readonly metadata: { readonly continue?: string };
      }>({ method: "GET", path: `${path}?${query}` });
      items.push(...(page.items ?? []));
      next = page.metadata.continue ?? "";
      if (next === "") return items;
    }
  }

  create<T extends Named>(path: string, object: object): Promise<T> {
    return this.#exchange({ method: "POST", path, ...json(object) });
  }

  /**
   * Sends a merge patch; one with a resourceVersion fails when another writer was faster. Only the
   * metadata of the answer is used, so that the server need not send the rest.
   */
  patch(path: string, patch: object): Promise<Named> {
    const { body, headers } = json(patch, "application/merge-patch+json");
    return this.#exchange({
      method: "PATCH",
      path,
      headers: { ...headers, accept: `${metadataOnly},application/json` },
      body,
    });
  }

  async delete(path: string, preconditions: { readonly uid?: string }): Promise<void> {
    const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions };
    await this.#send({ method: "DELETE", path, ...json(options) });
  }

  close(): void {
    this.#sender.close();
  }

  #send(request: ApiRequest): Promise<ApiAnswer> {
    return this.#gate.pass(() => this.#sender.send(request));
  }

  async #exchange<T>(request: ApiRequest): Promise<T> {
    const { body } = await this.#send(request);
    return JSON.parse(body.toString("utf8")) as T;
  }
}

/** Whether it is unknown if the request took effect. */
export function isUnknownOutcome(error: unknown): boolean {
  return isTimeout(error) || (error instanceof ApiError && error.reason === "ConnectionLost");
}

/** Turns an unexpected failure of the API into the error for the caller. */
export function toIpamError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  // A token that has expired, or whose node was registered anew, is about to be replaced.
  const passes = [isUnavailable, isTimeout, isTooManyRequests, isUnauthorized];
  const isPassing = passes.some((is) => is(error)) || error.code >= 500;
  const lasting = isForbidden(error) ? "notPermitted" : "inputOutput";
  return new IpamError(isPassing ? "tryAgainLater" : lasting, error.message, error.cause);
}

const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

function json(object: object, type = "application/json") {
  return { headers: { "content-type": type }, body: JSON.stringify(object) };
}

async function openSender(access: Access): Promise<Sender> {
  if (bun !== undefined) {
    const { FetchTransport } = await import("./fetch-transport.ts");
    return new FetchTransport(access);
  }
  const { HttpTransport } = await import("../../../../api/client/transport.ts");
  const { systemClock } = await import("../../../../base/host/clock.system.ts");
  const { systemRandom } = await import("../../../../base/host/random.system.ts");
  const userAgent = "tandem-ipam";
  return new HttpTransport({ access, clock: systemClock, random: systemRandom, userAgent });
}
