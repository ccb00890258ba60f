// The health check ports of services with the external traffic policy "Local": at each, load balancers
// ask whether this node has endpoints of the service.

import { createServer, type Server, type ServerResponse } from "node:http";
import { splitKey } from "../../../api/client/objects.ts";
import type { Family } from "../../../base/net/family.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { listenOn } from "../../../base/program/listen.system.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { StateChange } from "../plan/desired-state.ts";
import type { HealthCheckPlan } from "../plan/plan-service.ts";
import type { ProxyListener } from "../sync/service-proxy.ts";
import { closeServer } from "./close-server.ts";
import { untilAborted } from "./until-aborted.ts";

interface Options {
  /** Whether the proxy works; while it does not, every health check fails. */
  readonly isHealthy: () => boolean;
  /** Called when the health check port of a service cannot be opened. */
  readonly onFailure: (service: string, message: string) => void;
}

export class HealthChecks implements ProxyListener, Part {
  readonly name = "health checks";
  readonly #options: Options;
  /** The wanted health checks, by service. */
  readonly #wanted = new Map<string, HealthCheckPlan>();
  readonly #open = new Map<string, OpenCheck>();
  /**
   * The queue of changes: servers are opened and closed one after the other, so that a port is free
   * before it is reused.
   */
  #turn: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  changed({ healthChecks }: StateChange): void {
    if (healthChecks.size === 0) return;
    for (const [service, plan] of healthChecks) {
      if (plan === undefined) this.#wanted.delete(service);
      else this.#wanted.set(service, plan);
    }
    const services = [...healthChecks.keys()];
    this.#turn = this.#turn.then(() => this.#arrange(services));
  }

  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    this.#wanted.clear();
    this.#turn = this.#turn.then(() => this.#arrange([...this.#open.keys()]));
    await this.#turn;
  }

  /** Opens and closes servers. All are closed before any is opened: services may have swapped their ports. */
  async #arrange(services: readonly string[]): Promise<void> {
    for (const service of services) {
      const open = this.#open.get(service);
      if (open === undefined || open.port === this.#wanted.get(service)?.port) continue;
      this.#open.delete(service);
      await Promise.all(open.servers.map(closeServer));
    }
    for (const service of services) {
      const port = this.#wanted.get(service)?.port;
      if (port === undefined || this.#open.has(service)) continue;
      try {
        const servers = await listenOn([{ host: "", port }], () => this.#server(service));
        this.#open.set(service, { port, servers });
      } catch (error) {
        this.#options.onFailure(service, `Cannot answer health checks: ${messageOf(error)}`);
      }
    }
  }

  #server(service: string): Server {
    return createServer(
      { requestTimeout: 10_000, headersTimeout: 10_000 },
      ({ socket }, response) => this.#answer(service, response, familyAsked(socket.localAddress)),
    );
  }

  /** Answers for one family: a load balancer asks at the address that it would send to. */
  #answer(service: string, response: ServerResponse, family: Family): void {
    const count = this.#wanted.get(service)?.localBackends[family] ?? 0;
    const isHealthy = this.#options.isHealthy();
    const { namespace, name } = splitKey(service);
    response.writeHead(count > 0 && isHealthy ? 200 : 503, {
      "content-type": "application/json",
      "x-content-type-options": "nosniff",
      "x-load-balancing-endpoint-weight": String(count),
    });
    const answer = {
      service: { namespace, name },
      localEndpoints: count,
      serviceProxyHealthy: isHealthy,
    };
    response.end(JSON.stringify(answer, undefined, "\t"));
  }
}

/** Returns the family of an address; dual-stack sockets show IPv4 addresses as mapped ones. */
function familyAsked(address = ""): Family {
  return address.includes(":") && !address.startsWith("::ffff:") ? "IPv6" : "IPv4";
}

interface OpenCheck {
  readonly port: number;
  readonly servers: readonly Server[];
}
