// Answers requests: the files of the page to anybody, objects to pages with a token.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../../../api/client/client.ts";
import type { InformerSettings } from "../../../api/client/informer.ts";
import { Feed } from "./feed.ts";
import { answerHeaders, refusalOf } from "./guard.ts";
import type { PageFile } from "./page-files.ts";
import { push } from "./push.ts";
import { readCode } from "./read-code.ts";
import type { Sessions } from "./sessions.ts";
import { eventsOf } from "./sources.ts";

export interface AnswerParts extends InformerSettings {
  readonly client: Client;
  readonly feed: Feed;
  readonly sessions: Sessions;
  /** The files of the page by path; nothing else is served, so no path leads elsewhere. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** What the page tells about the cluster. */
  readonly about: About;
  readonly signal: AbortSignal;
}

export interface About {
  readonly server: string;
  /** The only namespace that is read, if not all are. */
  readonly namespace: string | undefined;
}

/** How long a link that a page asks for can be used. */
const linkLifetimeMs = 10 * 60_000;
/** The most streams at once: more than pages of one user need, fewer than would burden the API server. */
const mostStreams = 32;

export class Answerer {
  readonly #parts: AnswerParts;
  #streams = 0;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    hosts: ReadonlySet<string>,
  ): Promise<void> {
    for (const [name, value] of Object.entries(answerHeaders)) response.setHeader(name, value);
    const { method = "", headers } = request;
    const [path = "", query = ""] = (request.url ?? "").split("?", 2);
    const refusal = refusalOf({ method, path, headers }, hosts);
    if (refusal !== undefined) return say(response, refusal.status, refusal);
    const file = method === "POST" ? undefined : this.#parts.files.get(path);
    if (file !== undefined) {
      response.writeHead(200, { "content-type": file.type });
      response.end(method === "HEAD" ? undefined : file.content);
      return;
    }
    const route = `${method} ${path}`;
    if (route === "POST /api/session") return this.#logIn(request, response);
    if (!this.#parts.sessions.isKnown(headers.authorization)) {
      return say(response, 401, { message: "Cannot answer: use the link that tandem printed" });
    }
    switch (route) {
      case "GET /api/about":
        return say(response, 200, this.#parts.about);
      case "POST /api/link":
        return say(response, 200, { code: this.#parts.sessions.issueCode(linkLifetimeMs) });
      case "GET /api/stream":
        return this.#stream(response, this.#parts.feed);
      case "GET /api/events":
        return this.#events(response, new URLSearchParams(query));
      default:
        return say(response, 404, { message: "Cannot answer: no such path" });
    }
  }

  async #logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const code = await readCode(request);
    const token = code === undefined ? undefined : this.#parts.sessions.exchange(code);
    if (token === undefined) {
      const message = "Cannot log in: the link was used already, or is too old";
      return say(response, 403, { message });
    }
    return say(response, 200, { token });
  }

  /** Follows the events of one object while a page shows it. */
  async #events(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const { client, about } = this.#parts;
    const kind = query.get("kind") ?? "";
    const name = query.get("name") ?? "";
    if (kind === "" || name === "") {
      return say(response, 400, { message: "Cannot tell events: kind or name is missing" });
    }
    // Events about objects without a namespace are in the namespace "default".
    const namespace = query.get("namespace") ?? about.namespace;
    const feed = new Feed([eventsOf(client, { kind, name, namespace })], this.#parts);
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, this.#parts.signal]);
    const running = feed.run(signal);
    try {
      await this.#stream(response, feed);
    } finally {
      done.abort();
      await running;
    }
  }

  async #stream(response: ServerResponse, feed: Feed): Promise<void> {
    if (this.#streams >= mostStreams) {
      return say(response, 429, { message: `Cannot stream: ${mostStreams} pages listen already` });
    }
    this.#streams += 1;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.flushHeaders();
      const signal = AbortSignal.any([gone.signal, this.#parts.signal]);
      await push(response, { feed, clock: this.#parts.clock, signal });
    } finally {
      this.#streams -= 1;
    }
  }
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
