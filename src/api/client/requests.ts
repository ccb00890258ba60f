// The HTTP requests about the objects of one kind.

import { readJson } from "../../base/json/read-json.ts";
import {
  pathOf,
  type QueryValue,
  queryOf,
  type ResourceDefinition,
  type Target,
} from "./definition.ts";
import type { ApiObject } from "./objects.ts";
import type { ApplyOptions, CallOptions } from "./options.ts";
import { type ApiRequest, actionOf, type Transport } from "./transport/message.ts";
import { decodeEvents, type WatchEvent } from "./watch.ts";

export interface RequestSettings {
  readonly definition: ResourceDefinition;
  /** The manager recorded as the owner of fields. */
  readonly fieldManager: string;
  /** Whether responses contain metadata only. */
  readonly metadataOnly?: boolean;
  /** Decodes answers and events; plain JSON when not given. */
  readonly read?: ((text: string) => unknown) | undefined;
}

interface Question extends CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly retries?: number | undefined;
}

interface Change extends ApplyOptions {
  readonly body: unknown;
  readonly contentType?: string;
}

export class Requests {
  readonly #transport: Transport;
  readonly #settings: RequestSettings;
  readonly #read: (text: string) => unknown;

  constructor(transport: Transport, settings: RequestSettings) {
    this.#transport = transport;
    this.#settings = settings;
    this.#read = settings.read ?? readJson;
  }

  async ask<R>(method: ApiRequest["method"], target: Target, question: Question = {}): Promise<R> {
    const { body } = await this.#transport.send(this.#request(method, target, question));
    return this.#read(body.toString()) as R;
  }

  change<R>(method: "POST" | "PUT" | "PATCH", target: Target, change: Change): Promise<R> {
    const { fieldManager = this.#settings.fieldManager, fieldValidation, force, dryRun } = change;
    const query = { fieldManager, fieldValidation, force, dryRun: dryRun && "All" };
    return this.ask<R>(method, target, { ...change, query });
  }

  /** Starts a watch; resolves when it is established. */
  async watch<T extends ApiObject>(
    target: Target,
    question: Question,
  ): Promise<AsyncGenerator<WatchEvent<T>, undefined>> {
    const request = this.#request("GET", target, question);
    const { body } = await this.#transport.open(request);
    return decodeEvents<T>(body, { action: actionOf(request), read: this.#read });
  }

  #request(method: ApiRequest["method"], target: Target, question: Question): ApiRequest {
    const { query = {}, body, contentType = "application/json", ...call } = question;
    const { definition, metadataOnly = false } = this.#settings;
    const { signal, timeoutMs, retries } = call;
    return {
      method,
      path: pathOf(definition, target) + queryOf(query),
      headers: {
        ...(metadataOnly ? { accept: metadataForm(target, query) } : {}),
        ...(body === undefined ? {} : { "content-type": contentType }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
      timeoutMs,
      retries,
    };
  }
}

function metadataForm({ name }: Target, query: Readonly<Record<string, QueryValue>>): string {
  const isList = name === undefined && query["watch"] !== true;
  const kind = isList ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}
