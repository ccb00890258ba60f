import type { Clock } from "../../base/host/clock.ts";
import type { Random } from "../../base/host/random.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { version } from "../../base/program/version.ts";
import type { Access } from "./access.ts";
import { Client } from "./client.ts";
import { clientMetrics } from "./metrics.ts";
import type { RateLimit } from "./transport/rate-limit.ts";
import { HttpTransport } from "./transport/transport.ts";

export interface ConnectOptions {
  /** The component's name, e.g. `tandem-proxy`: its user agent, and the owner of fields. */
  readonly component: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Registry | undefined;
  readonly rateLimit?: RateLimit | undefined;
  /** Decodes answers and events; programs with many clients may share what is alike. */
  readonly read?: ((text: string) => unknown) | undefined;
}

/** Creates a client; no connection is made before the first request. */
export function connect(access: Access, options: ConnectOptions): Client {
  const { component, metrics: registry, read, ...rest } = options;
  const metrics = registry && clientMetrics(registry);
  const transport = new HttpTransport({
    ...rest,
    access,
    userAgent: `${component}/${version}`,
    onOutcome: (method, outcome) => metrics?.requests.with(method, outcome).increment(),
  });
  return new Client(transport, { fieldManager: component, read });
}
