import type { NetworkPolicy } from "../../types/networking.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";
import { selectorText } from "../workloads/columns.ts";
import { networkPolicyErrors } from "./validate-network-policy.ts";

export const networkPolicy: Kind<NetworkPolicy> = {
  default(object) {
    const spec = (object.spec ??= { podSelector: {} });
    spec.podSelector ??= {};
    if ((spec.policyTypes ?? []).length === 0) {
      // A policy without egress rules does not restrict egress.
      const hasEgress = (spec.egress ?? []).length > 0;
      spec.policyTypes = hasEgress ? ["Ingress", "Egress"] : ["Ingress"];
    }
  },
  validate: networkPolicyErrors,
  table: table<NetworkPolicy>([
    nameColumn,
    text("Pod-Selector", ({ spec }) => selectorText(spec.podSelector)),
    ageColumn,
  ]),
};
