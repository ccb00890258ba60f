// The API server: from a request to its answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ClusterSettings } from "../api/kinds/kind.ts";
import { createHealthHandler, type HealthHandler } from "../program/health.ts";
import type { Log } from "../program/log.ts";
import { runAll } from "../program/run-all.ts";
import type { Store } from "../store/port.ts";
import type { Admission, Authenticator, Authorizer, User } from "./access.ts";
import { attributesOf } from "./attributes.ts";
import { createBootstrapObjects } from "./bootstrap.ts";
import { Cache } from "./cache/cache.ts";
import type { Core } from "./core.ts";
import { Discovery } from "./discovery/serve.ts";
import { forbidden, noSuchResource, StatusError, toStatusError, unauthorized } from "./errors.ts";
import type { Exchange } from "./http/exchange.ts";
import type { HttpRequest, HttpResponse } from "./http/message.ts";
import { sendError, sendObject } from "./http/respond.ts";
import { Snapshots } from "./lists/snapshots.ts";
import { type RequestInfo, requestInfo } from "./request-info.ts";
import { builtinResources, type RulesOf } from "./resources/builtin.ts";
import { Catalogue } from "./resources/catalogue.ts";
import { repairs } from "./resources/repairs.ts";
import type { CompanionsOf } from "./resources/served.ts";
import { route } from "./route.ts";
import { versionInfo } from "./version-info.ts";
import { WatchGroups } from "./watch/groups.ts";

export interface ApiServerOptions {
  readonly store: Store;
  readonly settings: ClusterSettings;
  readonly log: Log;
  readonly rulesOf: RulesOf;
  /** By collection. */
  readonly companions?: ReadonlyMap<string, CompanionsOf>;
  /** Without one, nobody gets beyond health and version. */
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  readonly admission?: readonly Admission[];
}

export class ApiServer {
  readonly #core: Core;
  readonly #options: ApiServerOptions;
  readonly #discovery: Discovery;
  readonly #health: HealthHandler;
  readonly #stop: AbortController;
  readonly #ready = Promise.withResolvers<void>();

  private constructor(core: Core, options: ApiServerOptions, stop: AbortController) {
    this.#core = core;
    this.#options = options;
    this.#stop = stop;
    this.#discovery = new Discovery(core);
    this.#health = createHealthHandler({ withholdReasons: true });
  }

  static async open(options: ApiServerOptions): Promise<ApiServer> {
    const {
      store,
      settings,
      log,
      rulesOf,
      companions = new Map<string, CompanionsOf>(),
      admission = [],
    } = options;
    const stop = new AbortController();
    const builtin = builtinResources({ rulesOf, companions });
    const core: Core = {
      store,
      cache: await Cache.open({ store, log, repairOf: repairs(builtin) }),
      catalogue: new Catalogue(builtin),
      watches: new WatchGroups(),
      snapshots: new Snapshots(),
      settings,
      admission,
      log,
      stopping: stop.signal,
    };
    return new ApiServer(core, options, stop);
  }

  /** Resolves when the objects every cluster has are there. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cache } = this.#core;
    const bootstrap = async (stop: AbortSignal) => {
      await createBootstrapObjects(this.#core);
      this.#ready.resolve();
      await aborted(stop);
    };
    try {
      await runAll(
        [
          { name: "cache", run: (stop) => cache.run(stop) },
          { name: "bootstrap", run: bootstrap },
        ],
        signal,
      );
    } finally {
      this.#stop.abort();
    }
  }

  /** Answers a request, whatever happens. */
  handle(request: HttpRequest, response: HttpResponse): void {
    this.#answer(request, response).catch((error: unknown) => {
      const status = toStatusError(error);
      if (status.reason === "InternalError") {
        this.#core.log.error("Cannot answer a request", { url: request.url, error });
      }
      sendError({ request, response }, status);
    });
  }

  async #answer(request: HttpRequest, response: HttpResponse): Promise<void> {
    const info = requestInfo(request.method ?? "GET", request.url ?? "/");
    if (isHealth(info.path)) {
      const known = await this.#health(request as IncomingMessage, response as ServerResponse);
      if (!known) throw noSuchResource();
      return;
    }
    const user = info.path === "/version" ? nobody : await this.#admit(request, info);
    const exchange: Exchange = { request, response, info, user, warnings: [] };
    const { resource } = info;
    if (resource !== undefined) await route(this.#core, { ...exchange, target: resource });
    else this.#answerPath(exchange);
  }

  #answerPath(exchange: Exchange): void {
    const { path } = exchange.info;
    if (path === "/version") sendObject(exchange, versionInfo);
    else if (/^\/apis?(?:\/|$)/.test(path)) this.#discovery.serve(exchange);
    else throw noSuchResource();
  }

  /** Who asks, once it is clear that they may. */
  async #admit(request: HttpRequest, info: RequestInfo): Promise<User> {
    const { authenticator, authorizer } = this.#options;
    const user = await identify(authenticator, request);
    if (user === undefined) throw unauthorized();
    const attributes = attributesOf(info);
    const decision = (await authorizer?.authorize(user, attributes)) ?? { allowed: false };
    if (decision.allowed) return user;
    const { verb, resource, subresource, group, namespace, name = "", path } = attributes;
    const object = subresource === undefined ? resource : `${resource}/${subresource}`;
    const where =
      namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
    const what =
      resource === ""
        ? `User "${user.name}" cannot ${verb} path "${path}"`
        : `User "${user.name}" cannot ${verb} resource "${object}" in API group "${group}" ${where}`;
    const reason = decision.reason ? `${what}: ${decision.reason}` : what;
    throw forbidden({ group, name: resource }, name, reason);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function identify(
  authenticator: Authenticator | undefined,
  request: HttpRequest,
): Promise<User | undefined> {
  try {
    return await authenticator?.authenticate(request);
  } catch (error) {
    throw new StatusError("Unauthorized", "Unauthorized", { cause: error });
  }
}

const nobody: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

function isHealth(path: string): boolean {
  return /^\/(?:healthz|livez|readyz)(?:\/|$)/.test(path);
}
