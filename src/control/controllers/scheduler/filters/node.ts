// Filters by the node itself: schedulable, of the right name and labels, and without untolerated taints.

import { type TaintEffect, tolerates, untolerated } from "../taints.ts";
import { type Filter, fits } from "./filter.ts";

export const unschedulableTaint = {
  key: "node.kubernetes.io/unschedulable",
  effect: "NoSchedule" as const,
};
const keptOff: readonly TaintEffect[] = ["NoSchedule", "NoExecute"];

export const openNode: Filter = {
  name: "NodeUnschedulable",
  liftedBy: ["node"],
  prepare({ tolerations }) {
    if (tolerations.some((toleration) => tolerates(toleration, unschedulableTaint))) {
      return undefined;
    }
    const closed = ["node(s) were unschedulable"];
    return ({ node }) => (node.spec.unschedulable === true ? closed : fits);
  },
};

export const nodeTaints: Filter = {
  name: "TaintToleration",
  liftedBy: ["node"],
  prepare:
    ({ tolerations }) =>
    ({ node }) => {
      const taint = untolerated(node.spec.taints, tolerations, keptOff);
      if (taint === undefined) return fits;
      return [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`];
    },
};

export const nodeAffinity: Filter = {
  name: "NodeAffinity",
  liftedBy: ["node"],
  prepare({ nodes }) {
    if (nodes === undefined) return undefined;
    const elsewhere = ["node(s) didn't match Pod's node affinity/selector"];
    return ({ node }) => (nodes(node) ? fits : elsewhere);
  },
};
