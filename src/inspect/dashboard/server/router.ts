// What pages with a token can ask for.

import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../../../api/client/errors.ts";
import type { InformerSettings } from "../../../api/client/informer.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { loadState, showPod } from "../../../node/policy/policy.ts";
import { readTraceRequest } from "../model/trace-request.ts";
import { denialCounts } from "./denial-counts.ts";
import { type FedKind, Feed } from "./feed.ts";
import { followAll } from "./followed-kind.ts";
import { logsPath } from "./logs-path.ts";
import type { Actions } from "./ports.ts";
import { push } from "./push.ts";
import { readBody } from "./read-body.ts";
import type { Sessions } from "./sessions.ts";
import { eventsOf } from "./sources.ts";
import { tracedWay } from "./traced-way.ts";
import type { About } from "./users.ts";
import type { Workspace } from "./workspace.ts";

export interface RouterParts extends InformerSettings {
  readonly about: About;
  readonly actions: Actions;
  readonly sessions: Sessions<Workspace>;
  readonly signal: AbortSignal;
}

export interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: string;
  readonly query: URLSearchParams;
  readonly workspace: Workspace;
}

/** How long a link that a page asks for can be used. */
const linkLifetimeMs = 10 * 60_000;
/** The most streams at once: more than pages of a few users need, fewer than would burden the API server. */
const mostStreams = 32;
const mostBodyBytes = 4096;
/** The most traces at once: each listens to the whole kernel. */
const mostTraces = 2;

export class Router {
  readonly #parts: RouterParts;
  #streams = 0;
  #traces = 0;

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  async answer(asked: Asked): Promise<void> {
    const handlers: Readonly<Record<string, () => Promise<void> | void>> = {
      "GET /api/about": () => say(asked.response, 200, this.#parts.about),
      "POST /api/link": () => this.#link(asked),
      "GET /api/stream": () => this.#stream(asked, asked.workspace.feed),
      "GET /api/events": () => this.#events(asked),
      "GET /api/denials": () => this.#denials(asked),
      "GET /api/policies": () => this.#policies(asked),
      "GET /api/logs": () => this.#logs(asked),
      "POST /api/check": () => this.#check(asked),
      "POST /api/check/stop": () => this.#stopCheck(asked),
      "POST /api/trace": () => this.#trace(asked),
    };
    const handler = Object.hasOwn(handlers, asked.route) ? handlers[asked.route] : undefined;
    if (handler === undefined) {
      return say(asked.response, 404, { message: "Cannot answer: no such path" });
    }
    await handler();
  }

  #link({ response, workspace }: Asked): void {
    if (this.#parts.about.logIn !== "link") {
      return say(response, 403, { message: "Cannot make a link: everybody logs in by a token" });
    }
    say(response, 200, { code: this.#parts.sessions.issueCode(workspace, linkLifetimeMs) });
  }

  /** Follows the events of one object while a page shows it. */
  async #events(asked: Asked): Promise<void> {
    const { query, workspace, response } = asked;
    const kind = query.get("kind") ?? "";
    const name = query.get("name") ?? "";
    if (kind === "" || name === "") {
      return say(response, 400, { message: "Cannot tell events: kind or name is missing" });
    }
    // Events about objects without a namespace are in the namespace "default".
    const namespace = query.get("namespace") ?? this.#parts.about.namespace;
    const source = eventsOf(workspace.user.client, { kind, name, namespace });
    await this.#streamWhile(asked, followAll([source], this.#parts));
  }

  async #denials(asked: Asked): Promise<void> {
    const { workspace } = asked;
    const { clock } = this.#parts;
    const { user, nodes } = workspace;
    await this.#streamWhile(asked, [denialCounts({ user, clock, nodes })]);
  }

  /** Streams kinds that are followed only while a page looks at them. */
  async #streamWhile(asked: Asked, kinds: readonly FedKind[]): Promise<void> {
    const feed = new Feed(kinds);
    const done = new AbortController();
    const running = feed.run(AbortSignal.any([done.signal, asked.workspace.signal]));
    try {
      await this.#stream(asked, feed);
    } finally {
      done.abort();
      await running;
    }
  }

  async #stream({ response, workspace }: Asked, feed: Feed): Promise<void> {
    if (this.#streams >= mostStreams) {
      return say(response, 429, { message: `Cannot stream: ${mostStreams} pages listen already` });
    }
    this.#streams += 1;
    try {
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.flushHeaders();
      const signal = this.#untilGone(response, workspace);
      await push(response, { feed, clock: this.#parts.clock, signal });
    } finally {
      this.#streams -= 1;
    }
  }

  #untilGone(response: ServerResponse, workspace: Workspace): AbortSignal {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return AbortSignal.any([gone.signal, workspace.signal, this.#parts.signal]);
  }

  async #policies({ query, response, workspace }: Asked): Promise<void> {
    const key = `${query.get("namespace") ?? ""}/${query.get("name") ?? ""}`;
    try {
      const state = await loadState(workspace.user.client, { signal: workspace.signal });
      const pod = state.pod(key);
      say(response, 200, { rules: pod === undefined ? undefined : showPod(state, pod) });
    } catch (error) {
      sayError(response, error);
    }
  }

  async #logs({ query, response, workspace }: Asked): Promise<void> {
    const path = logsPath(query);
    const signal = this.#untilGone(response, workspace);
    try {
      const stream = await workspace.user.client.transport.open({ method: "GET", path, signal });
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
      response.flushHeaders();
      for await (const chunk of stream.body) response.write(chunk);
      response.end();
    } catch (error) {
      if (signal.aborted || response.headersSent) response.end();
      else sayError(response, error);
    }
  }

  #check({ response, workspace }: Asked): void {
    if (workspace.checks === undefined) return notAllowed(response, "check");
    const isStarted = workspace.checks.start();
    if (isStarted) return say(response, 202, {});
    say(response, 409, { message: "Cannot check: a check is under way" });
  }

  async #stopCheck({ response, workspace }: Asked): Promise<void> {
    await workspace.checks?.stop();
    say(response, 200, {});
  }

  async #trace({ request, response, workspace }: Asked): Promise<void> {
    const { trace } = this.#parts.actions;
    if (trace === undefined) return notAllowed(response, "trace");
    const wanted = readTraceRequest((await readBody(request, mostBodyBytes)) ?? "");
    if (wanted === undefined) {
      return say(response, 400, { message: "Cannot trace: this names no two ends" });
    }
    if (this.#traces >= mostTraces) {
      return say(response, 429, { message: `Cannot trace: ${mostTraces} traces are under way` });
    }
    this.#traces += 1;
    try {
      const signal = this.#untilGone(response, workspace);
      say(response, 200, { ways: (await trace(wanted, { signal })).map(tracedWay) });
    } catch (error) {
      say(response, 422, { message: messageOf(error) });
    } finally {
      this.#traces -= 1;
    }
  }
}

export function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

function notAllowed(response: ServerResponse, action: "check" | "trace"): void {
  const message = `Cannot ${action}: the dashboard was started without --allow-${action}`;
  say(response, 403, { message });
}

/** Passes on what the API server refused; a 401 of its own would mean that our token is not valid. */
function sayError(response: ServerResponse, error: unknown): void {
  const code = error instanceof ApiError && error.code >= 400 ? error.code : 502;
  say(response, code === 401 ? 403 : code, { message: messageOf(error) });
}
