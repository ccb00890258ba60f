// The Infrastructure object of a cluster: its platform and its virtual IPs.

import type { ResourceDefinition } from "../../api/client/definition.ts";
import type { ApiObject } from "../../api/client/objects.ts";
import type { Condition } from "../../api/types/meta.ts";
import { type Platform, type PlatformName, platforms } from "../config/config.ts";

export interface Infrastructure extends ApiObject {
  spec?: { platformSpec?: { type?: string } & PerPlatform<PlatformSpec> };
  status?: {
    infrastructureName?: string;
    platform?: string;
    platformStatus?: { type?: string } & PerPlatform<PlatformStatus>;
    conditions?: Condition[];
  };
}

/** The VIPs and networks that users request; the operator copies them to the status when they are valid. */
export interface PlatformSpec {
  apiServerInternalIPs?: string[];
  ingressIPs?: string[];
  machineNetworks?: string[];
}

/** The VIPs and networks in force. The singular fields are deprecated, and equal the first of their lists. */
export interface PlatformStatus {
  apiServerInternalIP?: string;
  apiServerInternalIPs?: string[];
  ingressIP?: string;
  ingressIPs?: string[];
  nodeDNSIP?: string;
  machineNetworks?: string[];
  loadBalancer?: { type?: string };
}

type PerPlatform<T> = { [Name in PlatformName]?: T };

export const infrastructures: ResourceDefinition = {
  group: "config.openshift.io",
  version: "v1",
  kind: "Infrastructure",
  plural: "infrastructures",
  namespaced: false,
};

/** The name of the only Infrastructure object. */
export const infrastructureName = "cluster";

/**
 * The platform whose status is filled in, or was (see `recordOf`), or whose spec asks for VIPs; undefined
 * where there are no VIPs to manage.
 */
export function platformOf(
  { spec, status }: Infrastructure,
  recorded?: { readonly type: string },
): Platform | undefined {
  const given = status?.platformStatus;
  const asked = spec?.platformSpec;
  // A type that was overwritten in the status alone contradicts both spec and record.
  const isOverruled = recorded !== undefined && asked?.type === recorded.type;
  if (given?.type === undefined || isOverruled) {
    return platforms.find(({ name, type, hasSpec }) => {
      const { apiServerInternalIPs = [], ingressIPs = [] } = asked?.[name] ?? {};
      const isAsked = hasSpec && apiServerInternalIPs.length + ingressIPs.length > 0;
      if (recorded !== undefined) return recorded.type === type;
      return (asked?.type ?? type) === type && isAsked;
    });
  }
  return platforms.find(
    ({ name, type }) =>
      given.type === type && (given[name] !== undefined || recorded?.type === type),
  );
}
