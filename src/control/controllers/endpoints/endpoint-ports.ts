// Resolves the ports of a service for one of its pods.

import type { Container, Pod, Service, ServicePort } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";

/** A port of a backend, the same in Endpoints and in EndpointSlices. */
export interface BackendPort {
  readonly name: string;
  readonly protocol: "SCTP" | "TCP" | "UDP";
  readonly port: number;
  readonly appProtocol?: string;
}

/** Returns the ports of a service; named ports that the pod lacks are left out. */
export function portsOf({ spec }: Service, pod: Pod): BackendPort[] {
  return (spec.ports ?? []).flatMap((wanted) => {
    const { name = "", protocol = "TCP", appProtocol } = wanted;
    const port = numberOf(wanted, pod);
    if (port === undefined) return [];
    return [{ name, protocol, port, ...defined({ appProtocol }) }];
  });
}

function numberOf(
  { targetPort, port, protocol = "TCP" }: ServicePort,
  pod: Pod,
): number | undefined {
  if (typeof targetPort === "number" && targetPort > 0) return targetPort;
  if (typeof targetPort !== "string" || targetPort === "") return port;
  for (const { ports = [] } of longLived(pod)) {
    const found = ports.find(
      (each) => each.name === targetPort && (each.protocol ?? "TCP") === protocol,
    );
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Lists the containers that run as long as the pod does, sidecars among them. */
function longLived({ spec }: Pod): readonly Container[] {
  const sidecars = (spec.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  return [...(spec.containers ?? []), ...sidecars];
}
