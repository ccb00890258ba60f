import type { Address } from "../../../base/net/address.ts";
import { candidatesFor, type VipNode } from "../cluster.ts";
import type { VipSettings } from "../settings.ts";

export interface HaproxyOptions {
  readonly settings: VipSettings;
  /** The socket from which a new process takes over the listening sockets, so that none is closed. */
  readonly socket: string;
  /** Whether the node has IPv6. */
  readonly hasIPv6: boolean;
}

/** Renders the load balancer of a node: the API on both families, in front of API servers of every family. */
export function renderHaproxy(nodes: readonly VipNode[], options: HaproxyOptions): string {
  const { settings, socket, hasIPv6 } = options;
  const { intervalSeconds, times } = settings.timings.backendCheck;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    [
      "global",
      [
        `stats socket ${socket} mode 600 level admin expose-fd listeners`,
        // Watches outlive a reload, in the old process, which must end at some time.
        "hard-stop-after 30m",
      ],
    ],
    [
      "defaults",
      [
        "mode tcp",
        // A connection that one server refuses is tried at another at once.
        "option redispatch 1",
        "retries 3",
        "timeout connect 2s",
        `timeout check ${2 * intervalSeconds}s`,
        "timeout client 24h",
        "timeout server 24h",
      ],
    ],
    [
      "frontend api",
      [
        `bind ${hasIPv6 ? `:::${settings.balancerPort} v4v6` : `:${settings.balancerPort}`}`,
        "default_backend api",
      ],
    ],
    [
      "frontend health",
      [
        "mode http",
        "timeout client 5s",
        `bind 127.0.0.1:${settings.healthPort}`,
        `monitor-uri ${healthPath}`,
        "monitor fail if { nbsrv(api) lt 1 }",
      ],
    ],
    [
      "backend api",
      [
        "balance roundrobin",
        "option httpchk GET /readyz",
        // A server that is about to end answers so: it gets no new connections, and keeps those that it has.
        "http-check disable-on-404",
        `default-server check check-ssl verify none inter ${intervalSeconds}s fall ${times} rise 1 on-marked-down shutdown-sessions`,
        ...servers(nodes, settings.apiPort),
      ],
    ],
  ];
  return sections
    .map(([head, lines]) => `${head}\n${lines.map((line) => `    ${line}\n`).join("")}`)
    .join("\n");
}

/** The health path, which returns 200 while an API server is reachable. */
export const healthPath = "/healthz";

function servers(nodes: readonly VipNode[], port: number): string[] {
  return candidatesFor("api", nodes).flatMap((node) =>
    node.addresses.map(
      (address) => `server ${node.name}-${address.family} ${withPort(address, port)}`,
    ),
  );
}

function withPort(address: Address, port: number): string {
  return address.family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
}
