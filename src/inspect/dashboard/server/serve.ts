// The server of the dashboard. It has no rights of its own: it acts with those of the user who started it, or
// of whoever logs in with a token.

import { createServer, type Server } from "node:http";
import type { InformerSettings } from "../../../api/client/informer.ts";
import type { Files } from "../../../base/host/files.ts";
import { Address } from "../../../base/net/address.ts";
import { messageOf, UsageError } from "../../../base/program/errors.ts";
import {
  boundAddress,
  formatListenAddress,
  type ListenAddress,
  listenOn,
} from "../../../base/program/listen.system.ts";
import { Answerer } from "./answer.ts";
import { readPageFiles } from "./page-files.ts";
import type { Actions, LogIn, Placing, User } from "./ports.ts";
import { Router } from "./router.ts";
import { Sessions } from "./sessions.ts";
import { type About, linkDoor, tokenDoor } from "./users.ts";
import { Workspace } from "./workspace.ts";

export interface DashboardParts extends InformerSettings {
  /** The user whose link is printed, or the way in for everybody with a token. */
  readonly users: { readonly user: User } | { readonly logIn: LogIn };
  readonly files: Files;
  readonly actions?: Actions;
  readonly placing?: Placing;
}

export interface DashboardSettings {
  readonly listen: ListenAddress;
  /** The directory with the built page. */
  readonly directory: string;
  readonly about: Pick<About, "server" | "namespace">;
}

export interface Dashboard {
  /** The link by which one browser, once, gets to see the cluster; or the address of the log-in. */
  readonly link: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Opens the server, which listens when this resolves, and answers until the signal of `run` aborts. */
export async function openDashboard(
  parts: DashboardParts,
  settings: DashboardSettings,
): Promise<Dashboard> {
  const { listen, directory } = settings;
  refuseOthers(listen);
  const { log, users, actions = {} } = parts;
  const files = await readPageFiles(parts.files, directory);
  const stop = new AbortController();
  const workspaces = new Workspaces(parts, settings, stop.signal);
  const sessions = new Sessions<Workspace>(parts);
  const about: About = {
    ...settings.about,
    logIn: "user" in users ? "link" : "token",
    allows: (["check", "trace"] as const).filter((action) => actions[action] !== undefined),
  };
  const router = new Router({ ...parts, about, actions, sessions, signal: stop.signal });
  const openWorkspace = (user: User): Workspace => workspaces.open(user);
  const door =
    "user" in users
      ? linkDoor
      : tokenDoor({ logIn: users.logIn, openWorkspace, signal: stop.signal });
  const answerer = new Answerer({ router, sessions, door, files, about });
  const hosts = new Set<string>();
  const servers = await listenOn([listen], () =>
    createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
      answerer.answer(request, response, hosts).catch((error: unknown) => {
        log.error("Cannot answer a request", { error: messageOf(error) });
        response.destroy();
      });
    }),
  );
  for (const host of servers.flatMap((server) => namesOf(server, listen))) hosts.add(host);
  const [host = ""] = hosts;
  const fragment =
    "user" in users ? `#code=${sessions.issueCode(workspaces.open(users.user))}` : "";
  return {
    link: `http://${host}/${fragment}`,
    async run(signal) {
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => aborted.resolve(), { once: true });
      if (!signal.aborted) await aborted.promise;
      stop.abort();
      await Promise.all([...servers.map(close), workspaces.ended()]);
    },
  };
}

/** The workspaces of all users who are in. */
class Workspaces {
  readonly #parts: DashboardParts;
  readonly #settings: DashboardSettings;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();

  constructor(parts: DashboardParts, settings: DashboardSettings, signal: AbortSignal) {
    this.#parts = parts;
    this.#settings = settings;
    this.#signal = signal;
  }

  open(user: User): Workspace {
    const { actions = {}, placing, clock, random, log } = this.#parts;
    const { namespace } = this.#settings.about;
    const parts = { clock, random, log, actions, placing, namespace };
    const workspace = new Workspace(user, parts);
    const running = workspace
      .run(this.#signal)
      .catch((error: unknown) => log.error("Cannot follow", { error: messageOf(error) }))
      .finally(() => {
        user.client.transport.close();
        this.#running.delete(running);
      });
    this.#running.add(running);
    return workspace;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }
}

/** Refuses to listen where others could ask: there is no encryption. */
function refuseOthers(listen: ListenAddress): void {
  const isOurs =
    "host" in listen &&
    (listen.host === "localhost" || Address.tryParse(listen.host)?.isLoopback === true);
  if (isOurs) return;
  throw new UsageError(
    `Cannot listen on ${formatListenAddress(listen)}: requests are not encrypted and carry what lets ` +
      "people in, so that the dashboard listens on loopback addresses only; reach it by port-forwarding",
  );
}

/**
 * The values of the Host header by which a server is meant, the one for links first. "localhost" is one of
 * them only if we listen in all families: behind the address of another could be somebody else.
 */
function namesOf(server: Server, listen: ListenAddress): readonly string[] {
  const bound = boundAddress(server);
  if ("path" in bound || "path" in listen) return [];
  const exact = formatListenAddress(bound);
  return listen.host === "localhost" ? [`localhost:${bound.port}`, exact] : [exact];
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
