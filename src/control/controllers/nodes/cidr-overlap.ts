import type { Prefix } from "../../../base/net/prefix.ts";

/** Throws if an address could belong to a pod and to a service. */
export function refuseOverlap(
  clusterCidrs: readonly Prefix[],
  serviceCidrs: readonly Prefix[],
): void {
  for (const cluster of clusterCidrs) {
    const service = serviceCidrs.find((each) => each.overlaps(cluster));
    if (service === undefined) continue;
    throw new Error(
      `Cannot use the cluster CIDR ${cluster}: it overlaps the service CIDR ${service}`,
    );
  }
}
