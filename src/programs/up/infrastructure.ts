// The Infrastructure object, from which every control plane learns the virtual addresses.

import type { Client } from "../../api/client/client.ts";
import { isAlreadyExists } from "../../api/client/errors.ts";
import { clusterView, vipStatus } from "../../edge/vip/vip.ts";
import {
  type Infrastructure,
  infrastructureName,
  infrastructures,
  recordAnnotation,
  recordText,
} from "../../install/infrastructure/infrastructure.ts";
import type { ClusterSettings } from "./settings.ts";

/**
 * Creates the Infrastructure object if there is none. An existing one is left as it is, unless the user names
 * virtual addresses this time.
 */
export async function makeInfrastructure(
  client: Client,
  settings: Pick<ClusterSettings, "name" | "apiVips" | "ingressVips" | "nodeCidr">,
  { namesVips }: { readonly namesVips: boolean },
): Promise<void> {
  const { apiVips, ingressVips, nodeCidr, name } = settings;
  const resource = client.custom<Infrastructure>(infrastructures);
  const place = { name: infrastructureName };
  const lists = {
    apiServerInternalIPs: apiVips.map(String),
    ingressIPs: ingressVips.map(String),
    machineNetworks: nodeCidr.map(String),
  };
  const type = "BareMetal";
  try {
    await resource.create({
      metadata: {
        ...place,
        annotations: {
          [recordAnnotation]: recordText({ infrastructureName: name, type, status: lists }),
        },
      },
      spec: { platformSpec: { type, baremetal: lists } },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const { status } = await resource.get(place);
  if (status?.platformStatus !== undefined) {
    const { apiServerInternalIPs, ingressIPs } = lists;
    const named = { platformSpec: { baremetal: { apiServerInternalIPs, ingressIPs } } };
    if (namesVips) await resource.patch(place, { merge: { spec: named } });
    return;
  }
  const platformStatus = { type, baremetal: lists };
  await resource.patchStatus(place, {
    merge: { status: { infrastructureName: name, platform: type, platformStatus } },
  });
}

/**
 * Whether the API's virtual addresses have reached their final holder since this moment: the oldest control
 * plane, once all take part. Control planes that start earlier may hold them for a second.
 */
export async function haveSettled(
  client: Client,
  { controlPlanes, name, apiVips }: ClusterSettings,
  { since, namesVips }: { readonly since: number; readonly namesVips: boolean },
): Promise<boolean> {
  const [infrastructure, { items: nodes }] = await Promise.all([
    client.custom<Infrastructure>(infrastructures).get({ name: infrastructureName }),
    client.resource("v1", "Node").listAll(),
  ]);
  const view = clusterView({ infrastructure, nodes, ingressPods: [], clusterName: name });
  if (namesVips && view.cluster.vips.api.join() !== apiVips.join()) {
    throwWhenRefused(infrastructure, apiVips);
    return false;
  }
  return vipStatus(view, nodes)
    .filter(({ use }) => use === "api")
    .every(({ candidates, holders: [holder, ...others] }) => {
      const isNew = holder !== undefined && holder.since.getTime() >= since;
      const isAlone = others.length === 0 && candidates.length === controlPlanes;
      return isNew && isAlone && holder.node === candidates[0];
    });
}

function throwWhenRefused(
  { metadata, status }: Infrastructure,
  apiVips: ClusterSettings["apiVips"],
): void {
  const refused = status?.conditions?.find(
    ({ type, status: is, observedGeneration }) =>
      type === "Degraded" && is === "True" && observedGeneration === metadata.generation,
  );
  if (refused === undefined) return;
  throw new Error(`Cannot use apiVips=${apiVips.join()}: ${refused.message}`);
}
