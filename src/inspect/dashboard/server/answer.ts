// Answers requests: the files of the page to anybody, all else to pages with a token.

import type { IncomingMessage, ServerResponse } from "node:http";
import { answerHeaders, refusalOf } from "./guard.ts";
import type { PageFile } from "./page-files.ts";
import { readBody } from "./read-body.ts";
import { type Router, say } from "./router.ts";
import type { Sessions } from "./sessions.ts";
import type { About, Door } from "./users.ts";
import type { Workspace } from "./workspace.ts";

export interface AnswerParts {
  readonly router: Router;
  readonly sessions: Sessions<Workspace>;
  /** How people get in. */
  readonly door: Door;
  /** The files of the page by path; nothing else is served, so no path leads elsewhere. */
  readonly files: ReadonlyMap<string, PageFile>;
  readonly about: About;
}

/** Tokens of service accounts have about 1,000 characters; those of other issuers may have more. */
const mostBytes = 16_384;

export class Answerer {
  readonly #parts: AnswerParts;

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
    const { sessions, door, about, router } = this.#parts;
    if (route === "GET /api/door") return say(response, 200, { logIn: about.logIn });
    if (route === "POST /api/session") return this.#logIn(request, response);
    const workspace = sessions.find(headers.authorization);
    if (workspace === undefined) {
      return say(response, 401, { message: `Cannot answer: ${door.hint}` });
    }
    if (route === "POST /api/logout") {
      sessions.close(headers.authorization);
      return say(response, 200, {});
    }
    await router.answer({ request, response, route, workspace, query: new URLSearchParams(query) });
  }

  async #logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { door, sessions } = this.#parts;
    const secret = await readBody(request, mostBytes);
    const outcome = await door.open(secret ?? "", sessions);
    return "message" in outcome
      ? say(response, outcome.status, { message: outcome.message })
      : say(response, 200, { token: outcome.token });
  }
}
