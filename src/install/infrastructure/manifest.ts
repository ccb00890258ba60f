import { apiVersionOf } from "../../api/client/definition.ts";
import { defined } from "../../base/json/defined.ts";
import type { InstallConfig } from "../config/config.ts";
import {
  type Infrastructure,
  infrastructureName,
  infrastructures,
  type PlatformSpec,
} from "./object.ts";
import { recordAnnotation, recordText } from "./record.ts";

/** The Infrastructure object of a new installation, in which spec and status agree. */
export function infrastructureManifest(config: InstallConfig): Infrastructure {
  const { platform, vips, networking, hasOwnLoadBalancer } = config;
  const lists: PlatformSpec = {
    ...(vips.api.length > 0 && { apiServerInternalIPs: vips.api.map(String) }),
    ...(vips.ingress.length > 0 && { ingressIPs: vips.ingress.map(String) }),
    machineNetworks: networking.machineNetwork.map(String),
  };
  const [api] = lists.apiServerInternalIPs ?? [];
  const [ingress] = lists.ingressIPs ?? [];
  const status = {
    ...defined({ apiServerInternalIP: api, ingressIP: ingress }),
    ...lists,
    ...(hasOwnLoadBalancer && { loadBalancer: { type: "UserManaged" } }),
  };
  const { name, type, hasSpec } = platform;
  return {
    apiVersion: apiVersionOf(infrastructures),
    kind: infrastructures.kind,
    metadata: {
      name: infrastructureName,
      // The name is recorded in an annotation, since a server drops the status of created objects.
      annotations: {
        [recordAnnotation]: recordText({ infrastructureName: config.name, type, status }),
      },
    },
    spec: { platformSpec: { type, ...(hasSpec && { [name]: lists }) } },
    status: {
      infrastructureName: config.name,
      platform: type,
      platformStatus: { type, [name]: status },
    },
  };
}
