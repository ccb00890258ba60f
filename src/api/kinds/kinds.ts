// The rules of every kind that has some, by group and kind. A kind that is not listed has none beyond
// its schema.
import { lease } from "./coordination/lease.ts";
import { configMap } from "./core/config-map.ts";
import { event } from "./core/event.ts";
import { namespace } from "./core/namespace.ts";
import { secret } from "./core/secret.ts";
import { serviceAccount } from "./core/service-account.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { endpoints } from "./endpoints/endpoints.ts";
import type { ApiObject, Kind } from "./kind.ts";
import { node } from "./node/node.ts";
import { pod } from "./pod/pod.ts";
import { service } from "./service/service.ts";

export function kindOf(group: string, kind: string): Kind | undefined {
  return kinds.get(`${group}/${kind}`);
}

const kinds: ReadonlyMap<string, Kind> = new Map([
  row("", "ConfigMap", configMap),
  row("", "Endpoints", endpoints),
  row("", "Event", event),
  row("", "Namespace", namespace),
  row("", "Node", node),
  row("", "Pod", pod),
  row("", "Secret", secret),
  row("", "Service", service),
  row("", "ServiceAccount", serviceAccount),
  row("coordination.k8s.io", "Lease", lease),
  row("discovery.k8s.io", "EndpointSlice", endpointSlice),
]);

/** Rules are only ever given objects of their kind: the server looks them up by it. */
function row<T extends ApiObject>(group: string, name: string, kind: Kind<T>): [string, Kind] {
  return [`${group}/${name}`, kind];
}
