// The `kubernetes` service, by which pods reach the living API servers.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Endpoints, Service } from "../../../api/types/core.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import type { Core } from "../core.ts";
import { writeOwn } from "../write/own-object.ts";
import type { Announcement } from "./registry.ts";

const namespace = "default";
const name = "kubernetes";
const labels = { component: "apiserver", provider: "kubernetes" };

/** Creates the service, with the first address of every service CIDR. */
export async function ensureService(core: Core, port: number): Promise<void> {
  const resource = core.catalogue.find("", "v1", "services");
  if (resource === undefined) return;
  const clusterIPs = core.settings.serviceCidrs.map((cidr) => String(Prefix.parse(cidr).at(1n)));
  const desired: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace, name, labels },
    spec: {
      clusterIPs,
      ...(clusterIPs.length > 1 ? { ipFamilyPolicy: "RequireDualStack" } : {}),
      ports: [{ name: "https", port: 443, targetPort: port, protocol: "TCP" }],
    },
  };
  await writeOwn(core, {
    resource,
    namespace,
    name,
    desire: (old) => (old === undefined ? structuredClone(desired) : undefined),
  });
}

/** Writes the endpoints: one per server, with all its addresses. */
export async function writeEndpoints(core: Core, servers: readonly Announcement[]): Promise<void> {
  const resource = core.catalogue.find("", "v1", "endpoints");
  if (resource === undefined) return;
  const subsets = subsetsOf(servers, firstFamily(core));
  await writeOwn(core, {
    resource,
    namespace,
    name,
    desire(old): ApiObject {
      const metadata = { ...old?.metadata, namespace, name };
      const endpoints: Endpoints = { apiVersion: "v1", kind: "Endpoints", metadata, subsets };
      return structuredClone(endpoints);
    },
  });
}

function firstFamily({ settings }: Core): string | undefined {
  const [first] = settings.serviceCidrs;
  return first === undefined ? undefined : Prefix.parse(first).family;
}

/** Groups the servers by port into subsets. */
function subsetsOf(
  servers: readonly Announcement[],
  family: string | undefined,
): NonNullable<Endpoints["subsets"]> {
  const reachable = servers.filter(({ addresses }) => addresses.length > 0);
  const byPort = Map.groupBy(reachable, ({ port }) => port);
  return [...byPort]
    .toSorted(([left], [right]) => left - right)
    .map(([port, group]) => ({
      addresses: group
        .map(({ addresses }) => endpointOf(addresses, family))
        .toSorted((left, right) => (left.ip < right.ip ? -1 : 1)),
      ports: [{ name: "https", port, protocol: "TCP" }],
    }));
}

function endpointOf(addresses: readonly string[], family: string | undefined) {
  const ips = addresses.toSorted(
    (left, right) => rank(left, family) - rank(right, family) || (left < right ? -1 : 1),
  );
  const [ip = ""] = ips;
  return ips.length > 1 ? { ip, ips } : { ip };
}

function rank(address: string, family: string | undefined): number {
  return Address.parse(address).family === family ? 0 : 1;
}
