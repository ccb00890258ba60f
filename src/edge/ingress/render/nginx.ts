// Renders the whole configuration of nginx as text.

import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Family } from "../../../base/net/family.ts";
import type { ListenAddress } from "../../../base/program/listen.system.ts";
import type { Upstream } from "../plan/backends.ts";
import type { Plan } from "../plan/plan.ts";
import type { Target } from "../plan/targets.ts";
import { siteBlock } from "./site.ts";
import { type Block, block, printed, quoted, type Statement } from "./syntax.ts";

export interface NginxSettings {
  /** The directory of this nginx, shared with no other. */
  readonly directory: string;
  readonly httpListen: readonly ListenAddress[];
  readonly httpsListen: readonly ListenAddress[];
  /** The families that this machine has. */
  readonly families: readonly Family[];
  /** The user that workers run as; the one of nginx itself when not given. */
  readonly user: string | undefined;
  /** The number of workers; one per processor when not given. */
  readonly workers: number | undefined;
  /** The limit of connections per worker, those to backends included. */
  readonly connections: number;
  /** The time that requests under way may last after a reload. */
  readonly drainSeconds: number;
  readonly logsRequests: boolean;
  readonly features: NginxFeatures;
}

/** The features of this nginx that older versions lack. */
export interface NginxFeatures {
  /** Whether HTTP/2 is a directive of its own; as a parameter of `listen` it then gets a warning. */
  readonly hasHttp2Directive: boolean;
  /** Whether a reload lets a connection that was idle only for a moment make one more request. */
  readonly sparesIdleConnections: boolean;
}

export interface Rendered {
  /** The id that `/configuration` on the status socket returns while this configuration is in force. */
  readonly id: string;
  readonly text: string;
}

export function renderNginx(plan: Plan, settings: NginxSettings): Rendered {
  const main = mainStatements(settings);
  const http = [
    ...httpStatements(settings),
    ...plan.upstreams.map(upstreamBlock),
    ...plan.sites.map((site) =>
      siteBlock(site, {
        listen: listenWords(settings, site.host === ""),
        // Requests without a Host header arrive at the default site; elsewhere the map would cost 1 % of each
        // request.
        headers: site.host === "" ? headersToBackends("$host_asked_for") : [],
        certificateFile: (name) => certificatePath(settings.directory, name),
      }),
    ),
  ];
  const id = createHash("sha256")
    .update(printed([...main, block("http", http)]))
    .digest("hex");
  const status = statusBlock(settings.directory, id);
  const text = printed([...main, block("http", [...http, status])]);
  return { id, text: `# Made by tandem ingress: changes are lost.\n${text}` };
}

export function certificatePath(directory: string, name = "default"): string {
  return join(directory, "certificates", `${name}.pem`);
}

export function statusSocket(directory: string): string {
  return join(directory, "status.sock");
}

export function temporaryDirectory(directory: string): string {
  return join(directory, "temporary");
}

function mainStatements(settings: NginxSettings): Statement[] {
  const { directory, user, workers, drainSeconds } = settings;
  return [
    ...(user === undefined ? [] : [`user ${user}`]),
    `worker_processes ${workers ?? "auto"}`,
    `worker_shutdown_timeout ${drainSeconds}s`,
    `pid ${quoted(join(directory, "nginx.pid"))}`,
    "error_log stderr warn",
    block("events", [`worker_connections ${settings.connections}`]),
  ];
}

const mostSpared = 10;

function httpStatements(settings: NginxSettings): Statement[] {
  const { directory, logsRequests, drainSeconds, features } = settings;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${quoted(join(temporaryDirectory(directory), name))}`,
  );
  return [
    ...temporary,
    `access_log ${logsRequests ? "/dev/stdout combined" : "off"}`,
    "server_tokens off",
    "server_names_hash_bucket_size 512",
    "server_names_hash_max_size 4096",
    "keepalive_timeout 75s",
    ...(features.sparesIdleConnections
      ? [`keepalive_min_timeout ${Math.min(drainSeconds, mostSpared)}s`]
      : []),
    ...(features.hasHttp2Directive ? ["http2 on"] : []),
    "keepalive_requests 10000",
    "ssl_protocols TLSv1.2 TLSv1.3",
    "ssl_session_cache shared:tls:10m",
    "ssl_session_tickets off",
    block("map $http_upgrade $connection_to_backend", ["default upgrade", '"" ""']),
    block("map $http_host $host_asked_for", ["default $http_host", '"" $host']),
    "proxy_http_version 1.1",
    ...headersToBackends("$http_host"),
    "proxy_ssl_server_name on",
    "proxy_ssl_name $host",
    "proxy_next_upstream error timeout",
    "proxy_next_upstream_tries 3",
  ];
}

function headersToBackends(host: string): Statement[] {
  return [
    `proxy_set_header Host ${host}`,
    "proxy_set_header Upgrade $http_upgrade",
    "proxy_set_header Connection $connection_to_backend",
    "proxy_set_header X-Request-ID $request_id",
    "proxy_set_header X-Real-IP $remote_addr",
    "proxy_set_header X-Forwarded-For $remote_addr",
    `proxy_set_header X-Forwarded-Host ${host}`,
    "proxy_set_header X-Forwarded-Port $server_port",
    "proxy_set_header X-Forwarded-Proto $scheme",
    // httpoxy: a CGI backend would take a request's Proxy header for its HTTP_PROXY variable.
    'proxy_set_header Proxy ""',
  ];
}

/** An upstream block. max_fails=0: the cluster judges health; a backend that refuses is skipped. */
function upstreamBlock({ name, targets }: Upstream): Block {
  return block(`upstream ${name}`, [
    ...targets.map((target) => `server ${withPort(target)} max_fails=0`),
    "keepalive 64",
    // Shorter than the five seconds after which many servers close a connection from their side.
    "keepalive_timeout 4s",
    "keepalive_requests 10000",
  ]);
}

function withPort({ address, port }: Target): string {
  return address.family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
}

function listenWords(
  { httpListen, httpsListen, families, features }: NginxSettings,
  isDefault: boolean,
): string[] {
  const words = (list: readonly ListenAddress[], rest: string) =>
    list.flatMap((address) =>
      places(address, families).map((place) => {
        // Socket options can be given only once, so the default site does.
        const own = isDefault && place.startsWith("[") ? " ipv6only=on" : "";
        return `${place}${rest}${isDefault ? " default_server" : ""}${own}`;
      }),
    );
  return [
    ...words(httpListen, ""),
    ...words(httpsListen, features.hasHttp2Directive ? " ssl" : " ssl http2"),
  ];
}

const wildcards: Readonly<Record<string, Readonly<Record<Family, string>>>> = {
  "": { IPv4: "0.0.0.0", IPv6: "[::]" },
  localhost: { IPv4: "127.0.0.1", IPv6: "[::1]" },
};

function places(address: ListenAddress, families: readonly Family[]): string[] {
  if ("path" in address) return [quoted(`unix:${address.path}`)];
  const { host, port } = address;
  const wildcard = wildcards[host];
  if (wildcard !== undefined) return families.map((family) => `${wildcard[family]}:${port}`);
  return [host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`];
}

function statusBlock(directory: string, id: string): Block {
  return block("server", [
    `listen ${quoted(`unix:${statusSocket(directory)}`)}`,
    "access_log off",
    block("location = /configuration", [`return 200 ${id}`]),
    block("location = /connections", ["stub_status"]),
  ]);
}
