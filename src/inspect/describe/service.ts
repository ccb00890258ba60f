import type { Endpoints, Event, Service, ServicePort } from "../../api/types/core.ts";
import { endpointsOfPort } from "./endpoints.ts";
import { eventLines } from "./events.ts";
import { field, pairs } from "./layout.ts";

export interface ServiceDescription {
  readonly service: Service;
  readonly endpoints: Endpoints | undefined;
  readonly events: readonly Event[];
}

export function describeService(
  { service, endpoints, events }: ServiceDescription,
  now: Date,
): string[] {
  const { metadata, spec, status } = service;
  const ingress = (status?.loadBalancer?.ingress ?? []).map(
    ({ ip, hostname }) => ip ?? hostname ?? "",
  );
  return [
    ...field("Name", metadata.name),
    ...field("Namespace", metadata.namespace),
    ...field("Labels", pairs(metadata.labels)),
    ...field("Annotations", pairs(metadata.annotations, ": ")),
    ...field("Selector", pairs(spec.selector).join(",") || undefined),
    ...field("Type", spec.type),
    ...field("IP Family Policy", spec.ipFamilyPolicy),
    ...field("IP Families", spec.ipFamilies?.join(",")),
    ...field("IP", spec.clusterIP),
    ...field("IPs", spec.clusterIPs?.join(",")),
    ...field("Endpoint Family", spec.endpointFamily),
    ...optional("External IPs", spec.externalIPs?.join(",")),
    ...optional("External Name", spec.externalName),
    ...optional("Desired LoadBalancer IP", spec.loadBalancerIP),
    ...optional("LoadBalancer Ingress", ingress.join(", ")),
    ...(spec.ports ?? []).flatMap((port) => portLines(port, endpoints)),
    ...field("Session Affinity", spec.sessionAffinity),
    ...optional("External Traffic Policy", spec.externalTrafficPolicy),
    ...optional("Internal Traffic Policy", spec.internalTrafficPolicy),
    ...optional("HealthCheck NodePort", spec.healthCheckNodePort?.toString()),
    ...optional("LoadBalancer Source Ranges", spec.loadBalancerSourceRanges?.join(",")),
    ...eventLines(events, now),
  ];
}

function portLines(port: ServicePort, endpoints: Endpoints | undefined): string[] {
  const { name = "", protocol = "TCP", targetPort, nodePort } = port;
  return [
    `Port:\t${name || "<unset>"}\t${port.port}/${protocol}`,
    ...field("TargetPort", `${targetPort ?? port.port}/${protocol}`),
    ...(nodePort ? [`NodePort:\t${name || "<unset>"}\t${nodePort}/${protocol}`] : []),
    ...field("Endpoints", endpointsOfPort(endpoints, name)),
  ];
}

/** Returns a field, or no line if it has no value. */
function optional(title: string, value: string | undefined): string[] {
  return value === undefined || value === "" ? [] : field(title, value);
}
