import type { Endpoints, Secret, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { Family } from "../../../base/net/family.ts";

/** The objects that Ingresses refer to, by `namespace/name`. */
export interface ReferredObjects {
  service(key: string): Service | undefined;
  endpoints(key: string): Endpoints | undefined;
  /** The EndpointSlices of a service, by its key. */
  slices(key: string): readonly EndpointSlice[];
  secret(key: string): Secret | undefined;
  /** The families by which this machine can reach backends. */
  readonly reachable: readonly Family[];
}
