// Answers discovery requests from documents that are made once per state of the catalogue.
import { createHash } from "node:crypto";
import type { Aggregation } from "../aggregation/aggregation.ts";
import type { Core } from "../core.ts";
import { noSuchResource } from "../errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { mediaRanges } from "../http/negotiate.ts";
import { type Document, sendDocument } from "../http/respond.ts";
import { apiVersionOf } from "../resources/served.ts";
import {
  aggregated,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type Group,
  groupsOf,
  withRemote,
} from "./documents.ts";

export class Discovery {
  readonly #core: Core;
  readonly #documents = new Map<string, Document>();
  #groups: readonly Group[] = [];
  readonly #remote: Aggregation | undefined;
  #revision = "";

  constructor(core: Core, remote?: Aggregation) {
    this.#core = core;
    this.#remote = remote;
  }

  serve(exchange: Exchange): void {
    this.#refresh();
    const { path } = exchange.info;
    const trimmed = path.endsWith("/") ? path.slice(0, -1) : path;
    const version = aggregatedVersion(exchange.request.headers.accept);
    const isRoot = trimmed === "/api" || trimmed === "/apis";
    const id = isRoot && version !== undefined ? `${trimmed} ${version}` : trimmed;
    let document = this.#documents.get(id);
    if (document === undefined) {
      document = this.#make(exchange, trimmed, isRoot ? version : undefined);
      this.#documents.set(id, document);
    }
    sendDocument(exchange, document);
  }

  #make(exchange: Exchange, path: string, version: "v2" | "v2beta1" | undefined): Document {
    const [, root, group, groupVersion] = path.split("/");
    const isCore = root === "api";
    if (version !== undefined) {
      const groups = this.#groups.filter(({ name }) => (name === "") === isCore);
      const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
      return encode(aggregated(groups, version), type);
    }
    if (isCore) {
      if (group === undefined) return encode(apiVersions(exchange.request.headers.host ?? ""));
      return this.#resourceList("", group);
    }
    if (group === undefined) return encode(apiGroupList(this.#groups));
    if (groupVersion !== undefined) return this.#resourceList(group, groupVersion);
    const found = this.#groups.find(({ name }) => name === group);
    if (found === undefined) throw noSuchResource();
    return encode(apiGroup(found));
  }

  #resourceList(group: string, version: string): Document {
    const found = this.#groups
      .find(({ name }) => name === group)
      ?.versions.find((each) => each.version === version);
    if (found === undefined) throw noSuchResource();
    return encode(apiResourceList(apiVersionOf(group, version), found.resources));
  }

  #refresh(): void {
    const { catalogue } = this.#core;
    const revision = `${catalogue.revision} ${this.#remote?.revision ?? 0}`;
    if (this.#revision === revision) return;
    this.#revision = revision;
    this.#groups = withRemote(groupsOf(catalogue.resources), this.#remote?.discovered ?? []);
    this.#documents.clear();
  }
}

function encode(content: object, type = "application/json"): Document {
  const body = Buffer.from(JSON.stringify(content));
  const etag = `"${createHash("sha256").update(body).digest("hex")}"`;
  return { body, type, etag };
}

function aggregatedVersion(accept: string | undefined): "v2" | "v2beta1" | undefined {
  if (accept === undefined || !accept.includes("apidiscovery.k8s.io")) return undefined;
  for (const { type, parameters } of mediaRanges(accept)) {
    if (type !== "application/json" || parameters.get("as") !== "APIGroupDiscoveryList") continue;
    const version = parameters.get("v");
    if (version === "v2" || version === "v2beta1") return version;
  }
  return undefined;
}
