// Keeps the slices of every service that has a selector.

import { Controller } from "../../../api/client/controller.ts";
import { isHeadless } from "../../../api/kinds/service.ts";
import type { Service } from "../../../api/types/core.ts";
import type { ControllerContext } from "../context.ts";
import { headlessLabel, managedByLabel, selectorManager, serviceNameLabel } from "./labels.ts";
import { createServicePods } from "./service-pods.ts";
import type { SliceOwner } from "./slice-changes.ts";
import { groupsOf } from "./slice-groups.ts";
import { SliceKeeper } from "./slice-keeper.ts";
import { lastingFamilies } from "./wanted-families.ts";

const concurrency = 8;

export function createSlicesController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const pods = context.shared(createServicePods);
  const services = informers.of(client.resource("v1", "Service"));
  const keeper = new SliceKeeper(context, selectorManager);

  const reconcile = async (key: string, signal: AbortSignal): Promise<void> => {
    const service = services.get(key);
    const isWanted =
      service !== undefined &&
      service.metadata.deletionTimestamp === undefined &&
      service.spec.type !== "ExternalName";
    if (!isWanted) return await keeper.keep(key, undefined, signal);
    if (Object.keys(service.spec.selector ?? {}).length === 0) return;
    const groups = groupsOf(pods.backendsOf(service), {
      lasting: lastingFamilies(service),
      distribution: service.spec.trafficDistribution,
    });
    await keeper.keep(key, { groups, owner: ownerOf(service) }, signal);
  };

  return new Controller({
    ...context,
    name: "endpointslices",
    sources: [pods, keeper.changes],
    concurrency,
    reconcile,
  });
}

function ownerOf(service: Service): SliceOwner {
  const { namespace, name, uid = "", labels } = service.metadata;
  return {
    namespace,
    name,
    metadata: {
      labels: {
        ...labels,
        ...(isHeadless(service) ? { [headlessLabel]: "" } : {}),
        [serviceNameLabel]: name,
        [managedByLabel]: selectorManager,
      },
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
