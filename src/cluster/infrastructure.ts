// The Infrastructure object, from which every control plane learns the virtual addresses.

import type { Client } from "../client/client.ts";
import { isAlreadyExists } from "../client/errors.ts";
import {
  type Infrastructure,
  infrastructureName,
  infrastructures,
} from "../install/infrastructure/infrastructure.ts";
import type { ClusterSettings } from "./settings.ts";

/** Makes it when there is none: what it has become since is its own affair. */
export async function makeInfrastructure(client: Client, settings: ClusterSettings): Promise<void> {
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
      metadata: place,
      spec: { platformSpec: { type, baremetal: lists } },
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const { status } = await resource.get(place);
  if (status?.platformStatus !== undefined) return;
  const platformStatus = { type, baremetal: lists };
  await resource.patchStatus(place, {
    merge: { status: { infrastructureName: name, platform: type, platformStatus } },
  });
}
