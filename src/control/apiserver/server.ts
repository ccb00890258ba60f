// The API server: handles requests from the first byte to the answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { createHealthHandler, type HealthHandler } from "../../base/program/health.ts";
import { runAll } from "../../base/program/run-all.ts";
import type { Revision } from "../store/store.ts";
import { aborted } from "./aborted.ts";
import type { User } from "./access.ts";
import { PolicyTypeChecks } from "./admission/policies/type-checks.ts";
import { admitUser, nobody } from "./admit.ts";
import { Aggregation } from "./aggregation/aggregation.ts";
import { upgradeRemotely } from "./aggregation/answer-remotely.ts";
import type { AggregationSettings } from "./aggregation/authentication-config.ts";
import { attributesOf } from "./attributes.ts";
import { type Policy, usualPolicy } from "./audit/policy.ts";
import { type Auditor, type AuditSink, AuditTrail } from "./audit/trail.ts";
import { createBootstrapObjects } from "./bootstrap.ts";
import { runCompaction } from "./compaction.ts";
import type { Core } from "./core.ts";
import { CustomResources } from "./crds/controller.ts";
import { Discovery } from "./discovery/serve.ts";
import { type Destinations, dispatch } from "./dispatch.ts";
import { noSuchResource, StatusError, toStatusError } from "./errors.ts";
import { danglingConditions } from "./fairness/dangling.ts";
import { type Admitted, FlowControl, usualSeats } from "./fairness/flow-control.ts";
import { seatsOf } from "./fairness/width.ts";
import type { Exchange } from "./http/exchange.ts";
import { atEnd, clientOf, type HttpRequest, type HttpResponse } from "./http/message.ts";
import { sendError } from "./http/respond.ts";
import { refuseUpgrade } from "./http/upgrade.ts";
import {
  ConnectionLimits,
  type ConnectionOptions,
  connectionUser,
  usualConnections,
} from "./limits/connections.ts";
import { descriptorLimit } from "./limits/descriptors.system.ts";
import { Arrivals } from "./limits/drain.ts";
import { defaultLimits, FlightControl, type FlightLimits } from "./limits/flight.ts";
import { isLong, LongRequests, usualLongRequests } from "./limits/long-requests.ts";
import { type StallMeter, stallMeter } from "./limits/stall-meter.ts";
import { knownOnly, type RequestMetrics, registerGauges, requestMetrics } from "./metrics.ts";
import { type CoreOptions, openCore } from "./open-core.ts";
import { OpenApiServer } from "./openapi/serve.ts";
import { isHealth, requestInfo } from "./request-info.ts";
import { roleAggregation } from "./role-aggregation.ts";
import type { DefaultRole } from "./security/default-role.ts";
import { runRegistration } from "./self/registration.ts";
import type { Announcement } from "./self/registry.ts";
import { connectUpgraded } from "./subresources/connect.ts";

export interface ApiServerOptions extends CoreOptions {
  readonly limits?: FlightLimits;
  /** The number of seats of all priority levels together. */
  readonly seats?: number;
  /** The number of watches and streams that one user may have at once. */
  readonly longRequests?: number;
  readonly connections?: ConnectionOptions;
  /** The sink of audit events, for every request except those for health. */
  readonly audit?: AuditSink;
  readonly auditPolicy?: Policy;
  /** The identity towards servers of aggregated APIs; absent: there are none. */
  readonly aggregation?: AggregationSettings;
  /** The roles of the programs that come with the server, beside those that every cluster has. */
  readonly roles?: readonly DefaultRole[];
}

export class ApiServer {
  readonly core: Core;
  readonly #metrics: RequestMetrics;
  readonly #customs: CustomResources;
  readonly #parts: Destinations;
  readonly #aggregation: Aggregation | undefined;
  readonly #flights: FlightControl;
  readonly #stalls: StallMeter;
  readonly #flow: FlowControl;
  readonly #long: LongRequests;
  /** The limits of connections; whoever listens reports connections to it. */
  readonly connections: ConnectionLimits;
  readonly arrivals = new Arrivals();
  #underWay = 0;
  #hasGivenNotice = false;
  readonly #auditor: Auditor | undefined;
  readonly #roles: readonly DefaultRole[] | undefined;
  readonly #health: HealthHandler;
  readonly #ready = Promise.withResolvers<void>();
  readonly #announced = Promise.withResolvers<Announcement>();
  #isReady = false;

  private constructor(core: Core, options: ApiServerOptions) {
    const { metrics: registry, limits, audit } = options;
    this.core = core;
    this.#roles = options.roles;
    this.#flow = new FlowControl({
      cache: core.cache,
      metrics: registry,
      seats: options.seats ?? usualSeats,
    });
    this.#long = new LongRequests(options.longRequests ?? usualLongRequests);
    this.connections = new ConnectionLimits(
      options.connections ?? usualConnections(descriptorLimit()),
    );
    const { now } = core.settings;
    const { auditPolicy: policy = usualPolicy } = options;
    this.#auditor = audit && { sink: audit, policy, now };
    this.#flights = new FlightControl(limits ?? defaultLimits);
    this.#stalls = stallMeter(registry);
    this.#metrics = requestMetrics(registry);
    registerGauges(registry, { core, flights: this.#flights });
    this.#customs = new CustomResources(core);
    const { aggregation } = options;
    this.#aggregation = aggregation && new Aggregation(core, aggregation);
    this.#parts = {
      core,
      metrics: registry,
      aggregation: this.#aggregation,
      discovery: new Discovery(core, this.#aggregation),
      openapi: new OpenApiServer(core, this.#aggregation),
    };
    this.#health = createHealthHandler({
      ready: [{ name: "cache", check: () => this.#checkReady() }],
      withholdReasons: true,
    });
  }

  static async open(options: ApiServerOptions): Promise<ApiServer> {
    return new ApiServer(await openCore(options), options);
  }

  /** Resolves when the objects every cluster starts with exist. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Announces where this server is reached, so that pods find it. */
  announce(announcement: Announcement): void {
    this.#announced.resolve(announcement);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { cache, snapshots, stop, store, log } = this.core;
    const compacted = (revision: Revision) => snapshots.forget(revision);
    const parts = [
      { name: "cache", run: (until: AbortSignal) => cache.run(until) },
      { name: "deadlines", run: (until: AbortSignal) => this.#flights.run(until) },
      { name: "stall meter", run: (until: AbortSignal) => this.#meterStalls(until) },
      {
        name: "compaction",
        run: (until: AbortSignal) => runCompaction({ store, log, compacted }, until),
      },
      { name: "custom resources", run: (until: AbortSignal) => this.#customs.run(until) },
      { name: "registration", run: (until: AbortSignal) => this.#register(until) },
      { name: "aggregation", run: (until: AbortSignal) => this.#aggregate(until) },
      { name: "bootstrap", run: (until: AbortSignal) => this.#bootstrap(until) },
      {
        name: "types of policies",
        run: (until: AbortSignal) => new PolicyTypeChecks(this.core).run(until),
      },
      {
        name: "role aggregation",
        run: (until: AbortSignal) => roleAggregation(this.core).run(until),
      },
      {
        name: "flow schemas",
        run: (until: AbortSignal) => danglingConditions(this.core).run(until),
      },
    ];
    // Watches end before the cache does, or they would wait for it in vain.
    signal.addEventListener("abort", () => stop.abort(), { once: true });
    try {
      await runAll(parts, signal);
    } finally {
      stop.abort();
      await this.core.heavy?.close();
    }
  }

  /** The number of requests that are being answered, without watches and streams, which last. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Tells load balancers to send no new connections; everything is answered as before. */
  giveNotice(): void {
    this.#hasGivenNotice = true;
  }

  /** Ends watches, whose clients go on with the next server. */
  endWatches(): void {
    this.core.stop.abort();
  }

  /** Answers a request, whatever happens. Those that come all at once are spread over turns. */
  handle(request: HttpRequest, response: HttpResponse): void {
    // Errors of the response are ignored: a client that goes away is no fault of the server.
    response.on("error", ignore);
    // Several parts of the server act at the end of a response; those of a compressed one are more than Node expects.
    response.setMaxListeners(responseListeners);
    this.arrivals.asked(request.socket);
    if (this.arrivals.isLeaving && request.httpVersionMajor === 1) {
      response.setHeader("connection", "close");
    }
    const wait = this.core.turns.pass(clientOf(request));
    if (wait === undefined) this.#handle(request, response);
    else void wait.then(() => this.#handle(request, response));
  }

  #handle(request: HttpRequest, response: HttpResponse): void {
    const trail = this.#trail(request);
    atEnd(response, () => trail?.tell("ResponseComplete", response.statusCode));
    let isUnderWay = true;
    this.#underWay++;
    const settled = () => {
      if (isUnderWay) this.#underWay--;
      isUnderWay = false;
    };
    atEnd(response, settled);
    this.#answer({ request, response, settled }, trail).catch((error: unknown) => {
      const status = toStatusError(error);
      trail?.refused(status.message);
      if (status.code >= 500) {
        this.core.log.error("Cannot answer a request", { url: request.url, error });
      }
      sendError({ request, response }, status);
    });
  }

  /** Passes an upgraded connection (WebSocket or SPDY) to the streams. */
  upgrade(request: HttpRequest, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const trail = this.#trail(request);
    trail?.tell("RequestReceived");
    this.#upgrade(request, { socket, head }, trail).catch((error: unknown) => {
      const status = toStatusError(error);
      trail?.refused(status.message);
      trail?.tell("ResponseComplete", status.code);
      refuseUpgrade(socket, status);
    });
  }

  #trail(request: HttpRequest): AuditTrail | undefined {
    if (this.#auditor === undefined || isHealth(request.url ?? "/")) return undefined;
    try {
      const info = requestInfo(request.method ?? "GET", request.url ?? "/");
      return new AuditTrail(this.#auditor, request, info);
    } catch (error) {
      // Requests that cannot be parsed are audited, too.
      if (!(error instanceof StatusError)) throw error;
      return new AuditTrail(this.#auditor, request, undefined);
    }
  }

  async #answer(
    { request, response, settled }: Arrived,
    audit: AuditTrail | undefined,
  ): Promise<void> {
    const info = requestInfo(request.method ?? "GET", request.url ?? "/");
    if (isHealth(info.path)) {
      if (this.#hasGivenNotice && info.path === "/readyz") throw noSuchResource();
      const isKnown = await this.#health(request as IncomingMessage, response as ServerResponse);
      if (!isKnown) throw noSuchResource();
      return;
    }
    const identified = (real: User, assumed?: User) => audit?.identified(real, assumed);
    const user =
      info.path === "/version"
        ? nobody
        : await admitUser(this.core.access, request, info, identified);
    audit?.tell("RequestReceived");
    const annotations = audit?.annotations ?? {};
    const exchange: Exchange = {
      request,
      response,
      info,
      user,
      audit,
      warnings: [],
      annotations,
    };
    this.#observe(exchange);
    atEnd(response, this.connections.busy(request.socket, connectionUser(user)));
    const { leave, isExempt } = await this.#admitFlow(exchange);
    if (isLong(info)) {
      settled();
      atEnd(response, this.#long.start(user.name, isExempt));
      audit?.tell("ResponseStarted", 200);
      // A watch keeps its seat until it has sent the initial state.
      await dispatch(this.#parts, exchange);
      leave();
      return;
    }
    const land = this.#flights.start(user.name, exchange, isExempt);
    atEnd(response, land);
    await dispatch(this.#parts, exchange);
  }

  /** Waits until flow control admits the request, and names the deciding schema and level in headers. */
  async #admitFlow(exchange: Exchange): Promise<Admitted> {
    const { request, response, info, user } = exchange;
    const attributes = attributesOf(info);
    const seats = seatsOf(this.core, request, info);
    const admitted = await this.#flow.admit({ user, attributes, seats });
    atEnd(response, admitted.leave);
    const { schema, level } = admitted;
    if (schema !== undefined && !response.headersSent) {
      response.setHeader("x-kubernetes-pf-flowschema-uid", schema.metadata.uid ?? "");
      response.setHeader("x-kubernetes-pf-prioritylevel-uid", level?.metadata.uid ?? "");
    }
    return admitted;
  }

  async #upgrade(
    request: HttpRequest,
    connection: { socket: Duplex; head: Buffer },
    audit: AuditTrail | undefined,
  ): Promise<void> {
    const info = requestInfo(request.method ?? "GET", request.url ?? "/");
    const identified = (real: User, assumed?: User) => audit?.identified(real, assumed);
    const user = await admitUser(this.core.access, request, info, identified);
    const { resource } = info;
    const remote = this.#aggregation?.find(info.path);
    if (resource === undefined) throw noSuchResource();
    const over = this.#long.start(user.name, false);
    connection.socket.once("close", over);
    const idle = this.connections.busy(request.socket, connectionUser(user));
    connection.socket.once("close", idle);
    const exchange = { request, info, user, audit, warnings: [], target: resource };
    if (remote !== undefined) await upgradeRemotely(exchange, connection, remote);
    else await connectUpgraded(this.core, exchange, connection);
    audit?.tell("ResponseStarted", 101);
    // A session is audited when it begins, since it may last for days.
    audit?.tell("ResponseComplete", 101);
  }

  #observe({ response, info }: Exchange): void {
    const started = performance.now();
    atEnd(response, () => {
      this.#metrics.count(knownOnly(this.core.catalogue, info), response.statusCode, started);
    });
  }

  async #bootstrap(until: AbortSignal): Promise<void> {
    await createBootstrapObjects(this.core, this.#roles);
    this.#isReady = true;
    this.#ready.resolve();
    await aborted(until);
  }

  async #aggregate(until: AbortSignal): Promise<void> {
    await Promise.race([this.#ready.promise, aborted(until)]);
    if (!until.aborted) await this.#aggregation?.run(until);
    await aborted(until);
  }

  /** Measures stalls from readiness on: the start is one long turn during which no client waits. */
  async #meterStalls(until: AbortSignal): Promise<void> {
    await Promise.race([this.#ready.promise, aborted(until)]);
    if (!until.aborted) await this.#stalls.run(until);
  }

  async #register(until: AbortSignal): Promise<void> {
    const announcement = await Promise.race([this.#announced.promise, aborted(until)]);
    if (announcement !== undefined) await runRegistration(this.core, announcement, until);
  }

  #checkReady(): void {
    if (!this.#isReady) throw new Error("Cannot serve yet: the first objects are being written");
    if (!this.core.cache.isFollowing)
      throw new Error("Cannot follow the store: it is out of reach");
  }
}

interface Arrived {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  /** Called when nobody has to wait for the answer: it is complete, or lasts. */
  readonly settled: () => void;
}

const responseListeners = 20;

function ignore(): void {
  // The response closes after an error, and its listeners learn of that.
}
