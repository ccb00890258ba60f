// The backend of a service that a connection goes to: one of its ready endpoints.
import type { Service } from "../../../api/types/core.ts";
import type { Endpoint, EndpointSlice } from "../../../api/types/discovery.ts";
import { badRequest, unavailable } from "../errors.ts";

export interface Backend {
  readonly host: string;
  readonly port: number;
  /** The pod behind the address; absent: an address outside of the pod network. */
  readonly pod?: { readonly namespace: string; readonly name: string };
}

const serviceLabel = "kubernetes.io/service-name";

/** Returns a backend by a random number below 1; `port` is a number or name of the service, or empty. */
export function chooseBackend(
  service: Service,
  slices: Iterable<EndpointSlice>,
  { port, random }: { readonly port: string; readonly random: number },
): Backend {
  const { name, namespace } = service.metadata;
  const portName = portNameOf(service, port);
  const backends: Backend[] = [];
  for (const slice of slices) {
    if (slice.metadata.labels?.[serviceLabel] !== name || slice.addressType === "FQDN") continue;
    const found = slice.ports?.find((each) => (each.name ?? "") === portName)?.port;
    if (found === undefined) continue;
    for (const endpoint of slice.endpoints ?? []) {
      const [host] = endpoint.addresses;
      if (host === undefined || endpoint.conditions?.ready === false) continue;
      backends.push({ host, port: found, ...podOf(endpoint, namespace) });
    }
  }
  const chosen = backends[Math.floor(random * backends.length)];
  if (chosen === undefined) throw unavailable(`no endpoints available for service "${name}"`);
  return chosen;
}

/** Returns the name of the port: slices know their ports by name alone. */
function portNameOf({ metadata, spec }: Service, port: string): string {
  const ports = spec.ports ?? [];
  const found =
    port === ""
      ? (ports.find((each) => (each.name ?? "") === "") ?? ports[0])
      : ports.find((each) => each.name === port || String(each.port) === port);
  if (found === undefined) {
    throw badRequest(`no service port "${port}" found for service "${metadata.name}"`);
  }
  return found.name ?? "";
}

/** Returns the pod of an endpoint; one that names a pod of another namespace gets none, since anybody may. */
function podOf({ targetRef }: Endpoint, namespace: string): Pick<Backend, "pod"> {
  if (targetRef?.kind !== "Pod" || targetRef.name === undefined) return {};
  if ((targetRef.namespace ?? namespace) !== namespace) return {};
  return { pod: { namespace, name: targetRef.name } };
}
