// Mirrors hand-written Endpoints of services without a selector as EndpointSlices, for readers of those.

import { Controller } from "../../../api/client/controller.ts";
import { managedByLabel, mirrorManager, serviceNameLabel } from "../../../api/kinds/discovery.ts";
import type {
  EndpointAddress,
  EndpointSubset,
  Endpoints,
  Service,
} from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { Address } from "../../../base/net/address.ts";
import type { Family } from "../../../base/net/family.ts";
import type { ControllerContext } from "../context.ts";
import type { Backend } from "./backend.ts";
import type { SliceOwner } from "./slice-changes.ts";
import { groupsOf } from "./slice-groups.ts";
import { SliceKeeper } from "./slice-keeper.ts";
import { wantedFamilies } from "./wanted-families.ts";

const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
/** The annotation of Endpoints that are used for leader election and serve nothing. */
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
/** The most addresses of one mirrored subset, as in Kubernetes; nobody writes more by hand. */
const maximumAddresses = 1000;

export function mirrorController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const services = informers.of(client.resource("v1", "Service"));
  const endpoints = informers.of(client.resource("v1", "Endpoints"));
  const keeper = new SliceKeeper(context, [mirrorManager]);

  const reconcile = async (key: string, signal: AbortSignal): Promise<void> => {
    const service = services.get(key);
    const object = endpoints.get(key);
    const isWanted = service !== undefined && object !== undefined && isMirrored(service, object);
    if (!isWanted) return await keeper.keep(key, [], signal);
    const backends = mirrored(object, wantedFamilies(service));
    const groups = groupsOf(backends, { lasting: [] });
    await keeper.keep(key, [{ groups, owner: ownerOf(object) }], signal);
  };

  return new Controller({
    ...context,
    sources: [services, endpoints, keeper.changes],
    reconcile,
  });
}

function isMirrored(
  { spec, metadata: { deletionTimestamp } }: Service,
  object: Endpoints,
): boolean {
  const { labels = {}, annotations = {} } = object.metadata;
  return (
    deletionTimestamp === undefined &&
    spec.type !== "ExternalName" &&
    Object.keys(spec.selector ?? {}).length === 0 &&
    labels[skipLabel] !== "true" &&
    annotations[leaderAnnotation] === undefined
  );
}

/** Returns the backends of Endpoints: each address entry is one, pairs included. */
export function mirrored({ subsets = [] }: Endpoints, families: readonly Family[]): Backend[] {
  return subsets.flatMap((subset) => {
    const { addresses = [], notReadyAddresses = [] } = subset;
    const entries = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    return entries
      .slice(0, maximumAddresses)
      .flatMap(({ address, ready }) => backendOf(address, { subset, ready, families }) ?? []);
  });
}

function backendOf(
  address: EndpointAddress,
  from: { subset: EndpointSubset; ready: boolean; families: readonly Family[] },
): Backend | undefined {
  const { ip, ips = [ip], hostname, nodeName, targetRef } = address;
  const addresses = ips.flatMap((text) => {
    const family = Address.tryParse(text)?.family;
    return family !== undefined && from.families.includes(family) ? [{ family, ip: text }] : [];
  });
  if (addresses.length === 0) return undefined;
  return {
    addresses,
    ports: (from.subset.ports ?? []).map(({ name = "", protocol = "TCP", port, appProtocol }) => ({
      name,
      protocol,
      port,
      ...defined({ appProtocol }),
    })),
    ready: from.ready,
    ...defined({ hostname, nodeName, targetRef }),
  };
}

function ownerOf({ metadata }: Endpoints): SliceOwner {
  const { namespace, name, uid = "", labels, annotations = {} } = metadata;
  const { [lastApplied]: _, ...copied } = annotations;
  return {
    namespace,
    name,
    metadata: {
      labels: { ...labels, [serviceNameLabel]: name, [managedByLabel]: mirrorManager },
      annotations: copied,
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Endpoints",
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
  };
}
