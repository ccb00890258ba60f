// Computes the Endpoints object that a service should have.

import { isHeadless } from "../../../api/kinds/service.ts";
import type { Endpoints, Service } from "../../../api/types/core.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { Backend } from "./backend.ts";
import { headlessLabel } from "./labels.ts";
import { subsetsOf } from "./subsets.ts";

const managedByLabel = "endpoints.kubernetes.io/managed-by";
const managedBy = "endpoint-controller";
const overCapacity = "endpoints.kubernetes.io/over-capacity";

/** Whether the object was created by this controller rather than written by hand. */
export function isOurs({ metadata }: Endpoints): boolean {
  return metadata.labels?.[managedByLabel] === managedBy;
}

/** Returns the Endpoints to write; `undefined` if the present object is right. */
export function desiredEndpoints(
  service: Service,
  backends: readonly Backend[],
  present: Endpoints | undefined,
): Endpoints | undefined {
  const { subsets, isTruncated } = subsetsOf(backends);
  const { namespace, name } = service.metadata;
  const labels = {
    ...service.metadata.labels,
    ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
    [managedByLabel]: managedBy,
  };
  const { [overCapacity]: _, ...others } = present?.metadata.annotations ?? {};
  const annotations = isTruncated ? { ...others, [overCapacity]: "truncated" } : others;
  const metadata = { ...present?.metadata, namespace, name, labels, annotations };
  const desired: Endpoints = { apiVersion: "v1", kind: "Endpoints", metadata, subsets };
  if (present === undefined) return desired;
  const isSame =
    sameJson(subsets, present.subsets ?? []) &&
    sameJson(labels, present.metadata.labels ?? {}) &&
    sameJson(annotations, present.metadata.annotations ?? {});
  return isSame ? undefined : desired;
}
