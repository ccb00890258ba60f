import { withCondition } from "../../infrastructure/infrastructure.ts";
import type { Outcome } from "./apply-install.ts";
import type { AgentClusterInstall } from "./objects.ts";

/** The status of an object: the VIPs in force, in both forms of their fields, and the outcome. */
export function statusOf(
  install: AgentClusterInstall,
  { cluster, problem }: Outcome,
  now: Date,
): NonNullable<AgentClusterInstall["status"]> {
  const { status = {} } = install;
  const [api] = cluster?.api_vips ?? [];
  const [ingress] = cluster?.ingress_vips ?? [];
  const {
    apiVIP: _,
    apiVIPs: __,
    ingressVIP: ___,
    ingressVIPs: ____,
    conditions = [],
    ...others
  } = status;
  return {
    ...others,
    ...(api !== undefined && { apiVIP: api, apiVIPs: [...(cluster?.api_vips ?? [])] }),
    ...(ingress !== undefined && {
      ingressVIP: ingress,
      ingressVIPs: [...(cluster?.ingress_vips ?? [])],
    }),
    conditions: withCondition(conditions, synced(problem), now),
  };
}

function synced(problem: string | undefined) {
  const type = "SpecSynced";
  if (problem === undefined) {
    const message = "The Spec has been successfully applied";
    return { type, status: "True", reason: "SyncOK", message };
  }
  const message = `The Spec could not be synced due to an input error: ${problem}`;
  return { type, status: "False", reason: "InputError", message };
}
