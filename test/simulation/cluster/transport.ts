// The transport of clients over the simulated network. It goes to one of the API servers, and to another one
// when that does not answer, as behind a load balancer.

import { refused, unanswered } from "../../../src/api/client/errors.ts";
import { Stream } from "../../../src/api/client/testing/stream.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  actionOf,
  type Transport,
} from "../../../src/api/client/transport.ts";
import { Lost, type Network } from "../network.ts";
import type { Process } from "../process.ts";
import type { Simulation } from "../simulation.ts";
import { SimulatedResponse } from "./http.ts";
import type { Server } from "./server.ts";

export interface TransportOptions {
  readonly simulation: Simulation;
  readonly network: Network;
  readonly process: Process;
  /** The API servers that run at present. */
  readonly servers: () => readonly Server[];
  /** The probability that an event of a watch is delivered twice in a row. */
  readonly duplicates: () => number;
}

const usualTimeoutMs = 10_000;

export class SimulatedTransport implements Transport {
  readonly #options: TransportOptions;
  #chosen = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  async send(request: ApiRequest): Promise<ApiAnswer> {
    const parts: Buffer[] = [];
    const status = await this.#exchange(request, (server) => {
      const { promise, resolve } = Promise.withResolvers<number>();
      const response = new SimulatedResponse(
        () => undefined,
        (part) => void parts.push(part),
      );
      response.on("finish", () => resolve(response.statusCode));
      server.handle(request, response);
      return promise;
    });
    const body = Buffer.concat(parts);
    if (status >= 300) throw refused(actionOf(request), { code: status, body: body.toString() });
    return { status, headers: {}, body };
  }

  async open(request: ApiRequest): ReturnType<Transport["open"]> {
    const { network, process, simulation, duplicates } = this.#options;
    const action = actionOf(request);
    let response: SimulatedResponse | undefined;
    const stream = new Stream(() => {
      const { process: at } = opened ?? {};
      if (at !== undefined) simulation.after(1, () => response?.destroy(), at);
    });
    let opened: Server | undefined;
    const early: Buffer[] = [];
    const status = await this.#exchange(request, (server) => {
      opened = server;
      const { promise, resolve } = Promise.withResolvers<number>();
      const wire = network.connect<Buffer>(server.process, process, {
        take: (part) => {
          stream.push(part.toString());
          if (simulation.chance(duplicates())) stream.push(lastLine(part));
        },
        over: (loss) => {
          const lost = { reason: "ConnectionLost", state: "the connection was lost" } as const;
          stream.end(loss === undefined ? undefined : unanswered(action, lost));
          if (loss !== undefined) simulation.after(1, () => response?.destroy(), server.process);
        },
      });
      response = new SimulatedResponse(resolve, (part) => {
        if (response !== undefined && response.statusCode >= 300) early.push(part);
        else wire.send(part);
      });
      response.on("finish", () => wire.end());
      response.on("error", () => undefined);
      server.handle(request, response);
      return promise;
    });
    if (status >= 300) {
      const body = Buffer.concat(early).toString();
      throw refused(action, { code: status, body });
    }
    const onAbort = (): void => stream.end(request.signal?.reason as Error);
    request.signal?.addEventListener("abort", onAbort, { once: true });
    return { status, headers: {}, body: stream };
  }

  upgrade(request: ApiRequest): ReturnType<Transport["upgrade"]> {
    throw new Error(`Cannot upgrade ${request.path}: the simulation has no streams`);
  }

  close(): void {
    // Connections end with their process.
  }

  async #exchange(
    request: ApiRequest,
    serve: (server: Server) => Promise<number>,
  ): Promise<number> {
    const { network, process } = this.#options;
    request.signal?.throwIfAborted();
    const action = actionOf(request);
    const server = this.#server();
    if (server === undefined) {
      await process.clock.sleep(100, request.signal);
      throw unanswered(action, { reason: "Unreachable", state: "no server runs" });
    }
    const late = Promise.withResolvers<never>();
    const onAbort = (): void => late.reject(request.signal?.reason);
    request.signal?.addEventListener("abort", onAbort, { once: true });
    const timer = process.clock.setTimer(request.timeoutMs ?? usualTimeoutMs, () =>
      late.reject(unanswered(action, { reason: "TimedOut", state: "no answer in time" })),
    );
    try {
      const answered = network.call(process, server.process, () => serve(server));
      return await Promise.race([answered, late.promise]);
    } catch (error) {
      this.#chosen += 1;
      if (!(error instanceof Lost)) throw error;
      const reason = error.loss === "unreachable" ? "Unreachable" : "ConnectionLost";
      throw unanswered(action, { reason, state: error.message });
    } finally {
      timer.cancel();
      request.signal?.removeEventListener("abort", onAbort);
    }
  }

  #server(): Server | undefined {
    const servers = this.#options.servers();
    return servers[this.#chosen % Math.max(1, servers.length)];
  }
}

/** The last whole event of a part. */
function lastLine(part: Buffer): string {
  const lines = part.toString().split("\n");
  return `${lines.at(-2) ?? ""}\n`;
}
