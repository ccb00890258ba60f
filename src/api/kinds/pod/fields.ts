// The fields pods can be selected by.
import type { Pod } from "../../types/core.ts";
import { claimantOf } from "./properties.ts";

const fields: Readonly<Record<string, (pod: Pod) => string | readonly string[]>> = {
  "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
  "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
  "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
  "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
  "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork === true),
  "status.phase": ({ status }) => status?.phase ?? "",
  "status.podIP": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
  "status.podIPs": ({ status }) => status?.podIPs?.[0]?.ip ?? "",
  "status.nominatedNodeName": ({ status }) => status?.nominatedNodeName ?? "",
  "status.podIPs.serviceControllerName": ({ status }) =>
    (status?.podIPs ?? []).flatMap((address) => claimantOf(address) ?? []),
};

export const selectableFields = Object.keys(fields);

export function selectableField(pod: Pod, field: string): string | readonly string[] {
  return fields[field]?.(pod) ?? "";
}
