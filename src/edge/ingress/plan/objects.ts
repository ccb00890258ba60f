import type { Endpoints, Secret, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { Family } from "../../../base/net/family.ts";

/** What Ingresses refer to, by `namespace/name`. */
export interface ReferredObjects {
  service(key: string): Service | undefined;
  endpoints(key: string): Endpoints | undefined;
  /** By the service they are of. */
  slices(key: string): readonly EndpointSlice[];
  secret(key: string): Secret | undefined;
  /** The families this machine can reach backends by. */
  readonly reachable: readonly Family[];
}
