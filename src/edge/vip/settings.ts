// Ports and times, with defaults that move a pair within a second and a half of a node's loss.

export interface VipSettings {
  /** Where clients reach the API on a VIP, and API servers on their nodes. */
  readonly apiPort: number;
  /** Where haproxy listens on every node; the kernel takes what is meant for a VIP there. */
  readonly balancerPort: number;
  /** Where haproxy says on loopback whether it reaches an API server. */
  readonly healthPort: number;
  /** Where ingress on a node is asked whether it works; without a path a connection is enough. */
  readonly ingressCheck: { readonly port: number; readonly path?: string };
  readonly timings: VipTimings;
}

export interface VipTimings {
  /** Between two advertisements of a holder. */
  readonly advertSeconds: number;
  /** A check runs this often, and counts when it has had one result this often in a row. */
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

/** How long the others wait for a holder that has said goodbye (VRRPv3's skew). */
export function cleanStopSeconds(priority: number, { advertSeconds }: VipTimings): number {
  return ((256 - priority) / 256) * advertSeconds;
}

/** How long they wait for one that has gone silent: three advertisements and the skew. */
export function lossSeconds(priority: number, timings: VipTimings): number {
  return 3 * timings.advertSeconds + cleanStopSeconds(priority, timings);
}

/** How long a holder that cannot serve keeps its VIPs, when its check has to time out to find out. */
export function checkSeconds(priority: number, timings: VipTimings): number {
  const { intervalSeconds, times } = timings.check;
  return (times + 1) * intervalSeconds + lossSeconds(priority, timings);
}
