// The service account of the IPAM plugin on every node. Its token can reserve addresses, and nothing else.
import { rule } from "../../../api/kinds/rbac.ts";
import type { ServiceAccount } from "../../../api/types/core.ts";
import type { DefaultRole } from "./default-role.ts";

export const ipamAccount = { namespace: "kube-system", name: "tandem-ipam" } as const;

const { namespace, name } = ipamAccount;
const whereabouts = "whereabouts.cni.cncf.io";

/** The role holds in one namespace, that of the pools. Pods are left out: the server reconciles with them. */
export const ipamAccountRole: DefaultRole = {
  name: "system:tandem-ipam-plugin",
  namespace,
  rules: [
    rule("get create patch", whereabouts, "ippools"),
    rule("get list create delete", whereabouts, "overlappingrangeipreservations"),
    // The status of a slice pool is written with the rest where it has no subresource, as in whereabouts' definition.
    rule("get create patch", whereabouts, "nodeslicepools"),
    rule("patch", whereabouts, "nodeslicepools/status"),
  ],
  accounts: [`${namespace}/${name}`],
};

/** The account as it is created; pods that run as it get no token by themselves. */
export function ipamAccountObject(): ServiceAccount {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { namespace, name },
    automountServiceAccountToken: false,
  };
}
