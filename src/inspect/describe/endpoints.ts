import { endpointLines } from "../../api/kinds/endpoints.ts";
import type { EndpointAddress, EndpointSubset, Endpoints, Event } from "../../api/types/core.ts";
import { eventLines } from "./events.ts";
import { field, indented, pairs, table } from "./layout.ts";

export interface EndpointsDescription {
  readonly endpoints: Endpoints;
  readonly events: readonly Event[];
}

export function describeEndpoints(
  { endpoints, events }: EndpointsDescription,
  now: Date,
): string[] {
  const { name, namespace, labels, annotations } = endpoints.metadata;
  return [
    ...field("Name", name),
    ...field("Namespace", namespace),
    ...field("Labels", pairs(labels)),
    ...field("Annotations", pairs(annotations, ": ")),
    "Subsets:",
    ...(endpoints.subsets ?? []).flatMap(subsetLines),
    ...eventLines(events, now),
  ];
}

/** Lists the endpoints behind one port of a service: pairs one a line, single addresses side by side. */
export function endpointsOfPort(endpoints: Endpoints | undefined, port: string): string[] {
  const subsets = (endpoints?.subsets ?? []).flatMap((subset) => {
    const ports = (subset.ports ?? []).filter(({ name = "" }) => name === port);
    const isPortless = (subset.ports ?? []).length === 0;
    return ports.length > 0 || isPortless ? [{ ...subset, ports }] : [];
  });
  if (endpoints === undefined) return [];
  const hasAny = subsets.some(({ addresses = [] }) => addresses.length > 0);
  return hasAny ? endpointLines({ ...endpoints, subsets }) : [""];
}

function subsetLines({ addresses, notReadyAddresses, ports = [] }: EndpointSubset): string[] {
  const rows = ports.map(({ name, port, protocol = "" }) => [
    name || "<unset>",
    String(port),
    protocol,
  ]);
  return [
    ...indented([
      ...field("Addresses", addressTexts(addresses)),
      ...field("NotReadyAddresses", addressTexts(notReadyAddresses)),
    ]),
    ...(rows.length === 0
      ? []
      : ["  Ports:", ...indented(indented(table(["Name", "Port", "Protocol"], rows)))]),
    "",
  ];
}

function addressTexts(addresses: readonly EndpointAddress[] = []): string[] | undefined {
  if (addresses.length === 0) return undefined;
  const texts = addresses.map(({ ip, ips = [ip] }) =>
    ips.length > 1 ? `{${ips.join(",")}}` : (ips[0] ?? ip),
  );
  return addresses.some(({ ips = [] }) => ips.length > 1) ? texts : [texts.join(",")];
}
