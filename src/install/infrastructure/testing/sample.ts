// Infrastructure objects for the tests of this folder.

import {
  type Infrastructure,
  infrastructureName,
  type PlatformSpec,
  type PlatformStatus,
} from "../object.ts";

export const first = { api: "192.168.111.5", ingress: "192.168.111.4" };
export const second = { api: "fd00:111::5", ingress: "fd00:111::4" };

export const firstPair: PlatformStatus = {
  apiServerInternalIP: first.api,
  apiServerInternalIPs: [first.api],
  ingressIP: first.ingress,
  ingressIPs: [first.ingress],
};

export const bothPairs: PlatformSpec = {
  apiServerInternalIPs: [first.api, second.api],
  ingressIPs: [first.ingress, second.ingress],
};

export function baremetal(status: PlatformStatus, spec?: PlatformSpec): Infrastructure {
  return {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: infrastructureName },
    ...(spec !== undefined && { spec: { platformSpec: { type: "BareMetal", baremetal: spec } } }),
    status: { platformStatus: { type: "BareMetal", baremetal: status } },
  };
}
