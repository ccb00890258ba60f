import type { Path } from "../plan/path.ts";
import type { Route, Site } from "../plan/sites.ts";
import { type Block, block, escaped, quoted, type Statement } from "./syntax.ts";

export interface SiteOptions {
  readonly listen: readonly string[];
  /** The headers sent to backends, if they differ from those of other sites. */
  readonly headers: readonly Statement[];
  /** The file of a certificate; that of the default one when it has no name. */
  readonly certificateFile: (name: string | undefined) => string;
}

export function siteBlock(site: Site, { listen, headers, certificateFile }: SiteOptions): Block {
  const file = certificateFile(site.certificate);
  return block("server", [
    `server_name ${serverName(site.host)}`,
    ...listen.map((one) => `listen ${one}`),
    `ssl_certificate ${quoted(file)}`,
    `ssl_certificate_key ${quoted(file)}`,
    ...headers,
    ...locations(site),
  ]);
}

/** The server_name of a host. A wildcard becomes a regular expression: nginx's own spans several labels. */
function serverName(host: string): string {
  if (host === "") return "_";
  return host.startsWith("*.") ? quoted(`~^[^.]+${escaped(host.slice(1))}$`) : host;
}

/** The locations. The longest path wins: nginx finds the longest prefix, and tries patterns in order. */
function locations(site: Site): Block[] {
  const hasPatterns = site.routes.some(({ path }) => path.kind === "pattern");
  const exact = new Set(
    site.routes.filter(({ path }) => path.kind === "exact").map(({ path }) => path.text),
  );
  const isComplete = site.routes.some(({ path }) => path.kind === "prefix" && path.text === "");
  return [
    ...site.routes.flatMap((route) =>
      heads(route.path, { hasPatterns, exact }).map((head) => block(head, statements(route))),
    ),
    ...(isComplete ? [] : [block("location /", ["return 404"])]),
  ];
}

function heads(
  { kind, text }: Path,
  { hasPatterns, exact }: { hasPatterns: boolean; exact: ReadonlySet<string> },
): string[] {
  if (kind === "exact") return [`location = ${quoted(text)}`];
  if (kind === "pattern") return [`location ~* ${quoted(`^${text}`)}`];
  if (text === "") return ["location /"];
  if (hasPatterns) return [`location ~ ${quoted(`^${escaped(text)}(?:/|$)`)}`];
  const itself = exact.has(text) ? [] : [`location = ${quoted(text)}`];
  return [...itself, `location ${quoted(`${text}/`)}`];
}

function statements({ path, settings, upstream, isHttpsOnly }: Route): Statement[] {
  const { redirect, rewriteTarget } = settings;
  const first = isHttpsOnly
    ? [block("if ($scheme = http)", ["return 308 https://$host$request_uri"])]
    : [];
  if (redirect !== undefined) {
    const url = `${redirect.url}${redirect.keepsPath ? "$request_uri" : ""}`;
    return [...first, `return ${redirect.code} ${quoted(url)}`];
  }
  if (upstream === undefined) return [...first, "return 503"];
  const pattern = path.kind === "pattern" ? `(?i)^${path.text}` : "^";
  return [
    ...first,
    `client_max_body_size ${settings.bodySize}`,
    `proxy_connect_timeout ${settings.connectTimeout}s`,
    `proxy_send_timeout ${settings.sendTimeout}s`,
    `proxy_read_timeout ${settings.readTimeout}s`,
    ...(rewriteTarget === undefined
      ? []
      : [`rewrite ${quoted(pattern)} ${quoted(rewriteTarget)} break`]),
    `proxy_pass ${settings.backendProtocol}://${upstream}`,
  ];
}
