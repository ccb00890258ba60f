// Serves the OpenAPI documents; they are built again when custom resources have changed.
import { buildOpenApi, type OpenApi, type OpenApiDocument } from "../../../api/openapi/build.ts";
import type { Aggregation } from "../aggregation/aggregation.ts";
import type { Core } from "../core.ts";
import { noSuchResource, notAcceptable } from "../errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { mediaRanges } from "../http/negotiate.ts";
import { answerHeaders, sendDocument } from "../http/respond.ts";
import { TimeSlice } from "../limits/time-slice.ts";
import { versionInfo } from "../version-info.ts";

/** The media type that clients ask for, and the one of the answer: Go does not accept an `@` there. */
const protobufAsked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
const protobufServed = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

export class OpenApiServer {
  readonly #core: Core;
  readonly #remote: Aggregation | undefined;
  #documents: OpenApi | undefined;
  #revision = "";

  constructor(core: Core, remote?: Aggregation) {
    this.#core = core;
    this.#remote = remote;
  }

  async serve(exchange: Exchange): Promise<void> {
    const path = exchange.info.path.replace(/\/$/, "");
    if (path === "/openapi/v2") await this.#serveV2(exchange);
    else if (path === "/openapi/v3") send(exchange, await this.#current().v3Index());
    else if (path.startsWith("/openapi/v3/"))
      await this.#serveV3(exchange, path.slice("/openapi/v3/".length));
    else throw noSuchResource();
  }

  async #serveV2(exchange: Exchange): Promise<void> {
    for (const { type } of mediaRanges(exchange.request.headers.accept ?? "*/*")) {
      if (type === protobufAsked || type === protobufServed) {
        send(exchange, await this.#current().v2Protobuf(), protobufServed);
        return;
      }
      if (type === "application/json" || type === "application/*" || type === "*/*") {
        send(exchange, await this.#current().v2Json());
        return;
      }
    }
    throw notAcceptable(["application/json", protobufAsked]);
  }

  async #serveV3(exchange: Exchange, path: string): Promise<void> {
    const document = await this.#current().v3(path);
    if (document === undefined) throw noSuchResource();
    const wanted = exchange.info.query.get("hash");
    if (wanted !== null && wanted !== document.hash) {
      const location = `/openapi/v3/${path}?hash=${document.hash}`;
      exchange.response.writeHead(301, { ...answerHeaders(exchange, "text/plain"), location });
      exchange.response.end();
      return;
    }
    send(exchange, document);
  }

  #current(): OpenApi {
    const { catalogue } = this.#core;
    const revision = `${catalogue.revision} ${this.#remote?.revision ?? 0}`;
    if (this.#documents === undefined || this.#revision !== revision) {
      const customResources = catalogue.resources.flatMap(({ custom }) => custom ?? []);
      const remote = (this.#remote?.discovered ?? []).flatMap(({ group, version, openApi: url }) =>
        url === undefined ? [] : [{ path: `apis/${group}/${version}`, url }],
      );
      const slice = new TimeSlice();
      const pause = () => slice.yield();
      const version = versionInfo.gitVersion;
      this.#documents = buildOpenApi({ customResources, version, remote, pause });
      this.#revision = revision;
    }
    return this.#documents;
  }
}

function send(
  exchange: Exchange,
  { body, hash }: OpenApiDocument,
  type = "application/json",
): void {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  sendDocument(exchange, { body: bytes, type, etag: `"${hash}"` });
}
