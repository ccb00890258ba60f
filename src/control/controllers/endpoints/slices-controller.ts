// Reconciles the EndpointSlices of every service that has a selector.

import { Controller } from "../../../api/client/controller.ts";
import {
  furtherFamilyLabel,
  furtherFamilyManager,
  managedByLabel,
  selectorManager,
  serviceNameLabel,
} from "../../../api/kinds/discovery.ts";
import { isHeadless } from "../../../api/kinds/service.ts";
import type { Service } from "../../../api/types/core.ts";
import type { ControllerContext } from "../context.ts";
import type { Backend } from "./backend.ts";
import { headlessLabel } from "./labels.ts";
import { createServicePods } from "./service-pods.ts";
import type { SliceOwner } from "./slice-changes.ts";
import { groupsOf, type SliceGroup } from "./slice-groups.ts";
import { SliceKeeper, type WantedSlices } from "./slice-keeper.ts";
import { publicFamilies } from "./wanted-families.ts";

const concurrency = 8;

export function slicesController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const pods = context.shared(createServicePods);
  const services = informers.of(client.resource("v1", "Service"));
  const keeper = new SliceKeeper(context, [selectorManager, furtherFamilyManager]);

  const reconcile = async (key: string, signal: AbortSignal): Promise<void> => {
    const service = services.get(key);
    const isWanted =
      service !== undefined &&
      service.metadata.deletionTimestamp === undefined &&
      service.spec.type !== "ExternalName";
    if (!isWanted) return await keeper.keep(key, [], signal);
    if (Object.keys(service.spec.selector ?? {}).length === 0) return;
    await keeper.keep(key, slicesOf(service, pods.backendsOf(service)), signal);
  };

  return new Controller({
    ...context,
    sources: [pods, keeper.changes],
    concurrency,
    reconcile,
  });
}

/**
 * Returns the wanted slices: under the usual label those of the service's own families, which every client
 * reads; under our own label those of families that `endpointFamily` adds.
 */
export function slicesOf(service: Service, backends: readonly Backend[]): WantedSlices[] {
  const families = publicFamilies(service);
  const distribution = service.spec.trafficDistribution;
  const groups = groupsOf(backends, { lasting: families, distribution });
  const isPublic = ({ family }: SliceGroup): boolean => families.includes(family);
  const usual = { [serviceNameLabel]: service.metadata.name, [managedByLabel]: selectorManager };
  const further = {
    [furtherFamilyLabel]: service.metadata.name,
    [managedByLabel]: furtherFamilyManager,
  };
  return [
    { groups: groups.filter(isPublic), owner: ownerOf(service, usual) },
    { groups: groups.filter((group) => !isPublic(group)), owner: ownerOf(service, further) },
  ];
}

function ownerOf(service: Service, labels: Readonly<Record<string, string>>): SliceOwner {
  const { namespace, name, uid = "" } = service.metadata;
  const {
    [serviceNameLabel]: _,
    [furtherFamilyLabel]: __,
    ...copied
  } = service.metadata.labels ?? {};
  return {
    namespace,
    name,
    metadata: {
      labels: { ...copied, ...(isHeadless(service) ? { [headlessLabel]: "" } : {}), ...labels },
      ownerReferences: [
        {
          apiVersion: "v1",
          kind: "Service",
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
  };
}
