// Parses the target of a request from its method and URL.
import { badRequest, methodNotAllowed } from "./errors.ts";

export type Verb =
  | "create"
  | "get"
  | "list"
  | "watch"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection";

export interface ResourceRequest {
  readonly verb: Verb;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The path after the subresource, with its slash; only proxies have one. */
  readonly rest: string | undefined;
}

export interface RequestInfo {
  readonly method: string;
  /** The path without the query, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The resource request; absent when the path is not one of a resource. */
  readonly resource: ResourceRequest | undefined;
}

export function requestInfo(method: string, url: string): RequestInfo {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? noQuery : new URLSearchParams(url.slice(mark + 1));
  return { method, path, query, resource: resourceRequest(method, path, query) };
}

/** The empty query, shared by all requests without one; nobody writes to a query. */
const noQuery = new URLSearchParams();

/** The subresources of a namespace itself; every other third segment is a resource inside it. */
const namespaceSubresources = new Set(["status", "finalize"]);

function resourceRequest(
  method: string,
  path: string,
  query: URLSearchParams,
): ResourceRequest | undefined {
  const core = path.startsWith("/api/");
  if (!core && !path.startsWith("/apis/")) return undefined;
  const parts = path.slice(1).split("/");
  if (parts.at(-1) === "") parts.pop();
  const start = core ? 2 : 3;
  if (parts.length <= start) return undefined;
  for (let index = 1; index < parts.length; index++) parts[index] = decode(parts[index] as string);

  const group = core ? "" : (parts[1] as string);
  const version = parts[start - 1] as string;
  let position = start;
  let namespace: string | undefined;
  if (parts[position] === "namespaces" && parts.length > position + 1) {
    const inside =
      parts.length > position + 2 && !namespaceSubresources.has(parts[position + 2] ?? "");
    namespace = parts[position + 1] as string;
    if (inside) position += 2;
  }
  const resource = parts[position] as string;
  const name = parts[position + 1];
  const subresource = parts[position + 2];
  const rest =
    parts.length > position + 3
      ? rawRest(path, position + 3)
      : subresource && path.endsWith("/")
        ? "/"
        : undefined;
  // OPTIONS is passed on to the proxied server, and counts as a GET.
  const asked = method === "OPTIONS" && subresource === "proxy" ? "GET" : method;
  const verb = verbOf(asked, name !== undefined, query);
  return { verb, group, version, resource, namespace, name, subresource, rest };
}

function verbOf(method: string, named: boolean, query: URLSearchParams): Verb {
  switch (method) {
    case "GET":
    case "HEAD":
      if (named) return "get";
      return isTrue(query.get("watch")) ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      throw methodNotAllowed();
  }
}

export function isTrue(text: string | null): boolean {
  return text === "true" || text === "1" || text === "True" || text === "TRUE" || text === "t";
}

function decode(segment: string): string {
  let text = segment;
  if (segment.includes("%")) {
    try {
      text = decodeURIComponent(segment);
    } catch (error) {
      throw badRequest(
        `Cannot read the path: ${JSON.stringify(segment)} is not valid percent encoding`,
        error,
      );
    }
    if (text.includes("\0")) throw badRequest("Cannot read the path: it contains a NUL character");
  }
  return text;
}

function rawRest(path: string, from: number): string {
  let index = 0;
  for (let count = 0; count < from; count++) index = path.indexOf("/", index + 1);
  return path.slice(index);
}

/** Returns whether a path asks how the server is, which is not audited and needs no resource. */
export function isHealth(path: string): boolean {
  return /^\/(?:healthz|livez|readyz)(?:\/|$)/.test(path);
}
