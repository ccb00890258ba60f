// Ports and times, with defaults that move a pair within a second and a half after a node fails.

export interface VipSettings {
  /** The port of the API, both on a VIP and of API servers on their nodes. */
  readonly apiPort: number;
  /** The port of haproxy on every node; nftables redirects connections to a VIP there. */
  readonly balancerPort: number;
  /** The loopback port at which haproxy tells whether it reaches an API server. */
  readonly healthPort: number;
  /** The health check of ingress on a node; without a path, a TCP connection is enough. */
  readonly ingressCheck: { readonly port: number; readonly path?: string };
  readonly timings: VipTimings;
}

export interface VipTimings {
  /** The interval between two advertisements of a holder. */
  readonly advertSeconds: number;
  /** The interval of checks, and how often in a row a result must occur to count. */
  readonly check: { readonly intervalSeconds: number; readonly times: number };
  /** The same for haproxy's checks of API servers. */
  readonly backendCheck: { readonly intervalSeconds: number; readonly times: number };
}

export const defaultSettings: VipSettings = {
  apiPort: 6443,
  balancerPort: 9445,
  healthPort: 9454,
  ingressCheck: { port: 80 },
  timings: {
    advertSeconds: 0.3,
    check: { intervalSeconds: 1, times: 2 },
    backendCheck: { intervalSeconds: 1, times: 2 },
  },
};

/** The time until another node takes over from a holder that stopped cleanly (VRRPv3's skew). */
export function cleanStopSeconds(priority: number, { advertSeconds }: VipTimings): number {
  return ((256 - priority) / 256) * advertSeconds;
}

/** The time until another node takes over from one that fell silent: three advertisements and the skew. */
export function lossSeconds(priority: number, timings: VipTimings): number {
  return 3 * timings.advertSeconds + cleanStopSeconds(priority, timings);
}

/** The time until a holder that cannot serve loses its VIPs, when its check has to time out. */
export function checkSeconds(priority: number, timings: VipTimings): number {
  const { intervalSeconds, times } = timings.check;
  return (times + 1) * intervalSeconds + lossSeconds(priority, timings);
}
