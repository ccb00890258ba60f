import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isParseError } from "../../../base/json/error.ts";
import { parseJson } from "../../../base/json/parse-json.ts";
import { createHealthHandler, type HealthCheck } from "../../../base/program/health.ts";
import { type ListenAddress, listenOn } from "../../../base/program/listen.system.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Registry } from "../../../base/program/metrics.ts";
import type { ClusterService } from "../clusters/service.ts";
import { ServiceError } from "../errors.ts";
import { openApiDocument } from "./openapi.ts";
import { type Answer, basePath, operations } from "./operations.ts";

export interface ServerOptions {
  readonly listen: readonly ListenAddress[];
  readonly service: ClusterService;
  /** The bearer token, if given, for everything but health and the OpenAPI document. */
  readonly token?: string | undefined;
  readonly log: Log;
  readonly metrics: Registry;
  readonly ready: readonly HealthCheck[];
}

const maxBytes = 1024 * 1024;

/** Opens the server, which listens when this resolves. */
export function listenForClusters(options: ServerOptions): Promise<Server[]> {
  const answered = options.metrics.counter("tandem_install_requests_total", {
    help: "Requests answered.",
    labels: ["operation", "code"],
  });
  const health = createHealthHandler({ ready: options.ready, metrics: options.metrics });
  const document = JSON.stringify(openApiDocument());
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (await health(request, response)) return;
    if (request.method === "GET" && pathOf(request) === "/openapi.json") {
      response.writeHead(200, { "content-type": "application/json" }).end(document);
      return;
    }
    const { operation, answer } = await carryOut(request, options);
    answered.with(operation, String(answer.status)).increment();
    send(response, answer);
  };
  return listenOn(options.listen, () =>
    createServer({ requestTimeout: 30_000 }, (request, response) => {
      handle(request, response).catch((error: unknown) => {
        options.log.error("Cannot answer", { error });
        response.destroy();
      });
    }),
  );
}

async function carryOut(
  request: IncomingMessage,
  options: ServerOptions,
): Promise<{ operation: string; answer: Answer }> {
  const found = find(request);
  const operation = found?.operation.id ?? "unknown";
  try {
    if (!isAllowed(request, options.token)) {
      throw new ServiceError("Unauthorized", "a valid bearer token is required");
    }
    if (found === undefined) throw nothingThere(request);
    const { parameters } = found;
    const body = found.operation.takes === undefined ? undefined : await readBody(request);
    const generation = generationOf(request);
    const call = { parameters, body, generation };
    return { operation, answer: await found.operation.run(options.service, call) };
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      options.log.error("Cannot carry out a request", { operation, error });
      return { operation, answer: refusal(500, ["internal error"]) };
    }
    return { operation, answer: refusal(error.status, error.problems) };
  }
}

function refusal(status: number, problems: readonly string[]): Answer {
  const reason = problems.join("; ");
  const body = { kind: "Error", id: status, href: "", code: String(status), reason, problems };
  return { status, body };
}

function send(response: ServerResponse, { status, body, generation }: Answer): void {
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    }),
    ...(generation !== undefined && { etag: `"${generation}"` }),
  });
  response.end(text);
}

function find(request: IncomingMessage) {
  const path = pathOf(request);
  for (const operation of operations) {
    if (operation.method !== request.method) continue;
    const pattern = `${basePath}${operation.path}`.replaceAll(/{(\w+)}/g, "(?<$1>[^/]+)");
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (match !== null) return { operation, parameters: { ...match.groups } };
  }
  return undefined;
}

function nothingThere(request: IncomingMessage): ServiceError {
  const path = pathOf(request);
  const isKnown = operations.some((operation) =>
    new RegExp(`^${basePath}${operation.path.replaceAll(/{\w+}/g, "[^/]+")}$`).test(path),
  );
  return isKnown
    ? new ServiceError("MethodNotAllowed", `${request.method} is not allowed for ${path}`)
    : new ServiceError("NotFound", `there is nothing at ${path}`);
}

function pathOf(request: IncomingMessage): string {
  return URL.parse(request.url ?? "/", "http://localhost")?.pathname ?? "";
}

/** The generation of `If-Match: "3"`; undefined for `*` and without the header. */
function generationOf(request: IncomingMessage): number | undefined {
  const header = request.headers["if-match"];
  if (header === undefined || header === "*") return undefined;
  const match = /^"(\d+)"$/.exec(header);
  if (match !== null) return Number(match[1]);
  throw new ServiceError("PreconditionFailed", `If-Match ${header} is the ETag of no cluster`);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new ServiceError("TooLarge", `a body may have at most ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  try {
    return parseJson(Buffer.concat(chunks), { maxBytes });
  } catch (error) {
    if (!isParseError(error)) throw error;
    throw new ServiceError("Invalid", error.message, error);
  }
}

function isAllowed(request: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const given = Buffer.from(request.headers.authorization ?? "");
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
