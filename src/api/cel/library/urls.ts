// URLs, in the parts that Go's parser tells.
import { CelError, Opaque, PlainList, PlainMap, type Value } from "../runtime/value.ts";
import { abstractType, type Type } from "../types.ts";
import type { Implementation, Library } from "./library.ts";

export const urlTypes: Readonly<Record<string, Type>> = { url: abstractType("kubernetes.URL") };

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

export class UrlValue extends Opaque {
  override readonly typeName = "kubernetes.URL";
  readonly text: string;
  readonly parts: Parts;

  constructor(text: string, parts: Parts) {
    super();
    this.text = text;
    this.parts = parts;
  }

  override equals(other: Opaque): boolean {
    return this.text === (other as UrlValue).text;
  }
}

const read =
  (part: (parts: Parts) => string): Implementation =>
  (value) =>
    part((value as UrlValue).parts);

export const urls: Library = {
  url: {
    string_to_url: [
      "(string) url",
      (text) => {
        const parts = parseUrl(text as string);
        if (typeof parts !== "string") return new UrlValue(text as string, parts);
        return new CelError(`URL parse error during conversion from string: ${parts}`);
      },
    ],
  },
  isURL: {
    is_url_string: ["(string) bool", (text) => typeof parseUrl(text as string) !== "string"],
  },
  getScheme: { url_get_scheme: ["url.() string", read(({ scheme }) => scheme)] },
  getHost: { url_get_host: ["url.() string", read(({ host }) => host)] },
  getHostname: { url_get_hostname: ["url.() string", read(({ host }) => hostName(host))] },
  getPort: { url_get_port: ["url.() string", read(({ host }) => /:(\d*)$/.exec(host)?.[1] ?? "")] },
  getEscapedPath: { url_get_escaped_path: ["url.() string", read(({ path }) => escaped(path))] },
  getQuery: {
    url_get_query: [
      "url.() map(string, list(string))",
      (value) => parseQuery((value as UrlValue).parts.query),
    ],
  },
};

/** Parses an absolute URL or an absolute path; returns a reason when it is neither. */
export function parseUrl(text: string): Parts | string {
  const refuse = (why: string) => `parse ${JSON.stringify(text)}: ${why}`;
  if (text === "") return refuse("empty url");
  if (Array.from(text).some((one) => one < " " || one === "\x7f"))
    return refuse("net/url: invalid control character in URL");
  const found = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/.exec(
    text,
  );
  const [, scheme = "", authority, path = "", query = ""] = found ?? [];
  if (scheme === "" && !text.startsWith("/")) {
    return refuse(
      /^[^/?#]*:/.test(text)
        ? "first path segment in URL cannot contain colon"
        : "invalid URI for request",
    );
  }
  if (scheme !== "" && authority === undefined && path === "")
    return refuse("invalid URI for request");
  if (/%(?![\da-fA-F]{2})/.test(path)) {
    const wrong = /%.{0,2}/.exec(path.slice(path.search(/%(?![\da-fA-F]{2})/)))?.[0] ?? "%";
    return refuse(`invalid URL escape ${JSON.stringify(wrong)}`);
  }
  const host = (authority ?? "").slice((authority ?? "").lastIndexOf("@") + 1);
  const port = /^(?:\[[^\]]*\]|[^:]*)(.*)$/.exec(host)?.[1] ?? "";
  if (!/^(?::\d*)?$/.test(port)) return refuse(`invalid port ${JSON.stringify(port)} after host`);
  if (/[ <>"]/.test(host)) return refuse("invalid character in host name");
  return { scheme: scheme.toLowerCase(), host, path, query };
}

function hostName(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host);
  return bracketed?.[1] ?? host.replace(/:\d*$/, "");
}

/** Returns the path with characters escaped that must be. */
function escaped(path: string): string {
  return path.replace(/[^A-Za-z0-9\-._~$&+,/:;=@!'()*[\]%]/gu, (one) => encodeURIComponent(one));
}

function parseQuery(query: string): Value {
  const found = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const [key = "", value = ""] = splitOnce(pair).map(unescapeQuery);
    if (key === undefined || value === undefined) continue;
    found.set(key, [...(found.get(key) ?? []), value]);
  }
  return new PlainMap([...found].map(([key, values]) => [key, new PlainList(values)]));
}

function splitOnce(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}

function unescapeQuery(text: string): string | undefined {
  if (/%(?![\da-fA-F]{2})/.test(text)) return undefined;
  const spaced = text.replaceAll("+", " ");
  return Buffer.from(
    spaced.replace(/%([\da-fA-F]{2})|([\u0080-\u{10ffff}]+)/gu, (_, hex: string, plain: string) =>
      hex === undefined
        ? Buffer.from(plain).toString("latin1")
        : String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    "latin1",
  ).toString();
}
