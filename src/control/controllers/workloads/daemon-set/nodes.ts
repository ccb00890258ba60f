// Decides on which nodes a DaemonSet has pods.

import type {
  Node,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Toleration,
} from "../../../../api/types/core.ts";
import { defined } from "../../../../base/json/defined.ts";
import { onlyNodeName, requiredNodes } from "../../scheduler/node-selector.ts";
import { untolerated } from "../../scheduler/taints.ts";

/** The taints that all pods of DaemonSets tolerate, though other pods are kept off. */
const hardships = [
  ["node.kubernetes.io/not-ready", "NoExecute"],
  ["node.kubernetes.io/unreachable", "NoExecute"],
  ["node.kubernetes.io/disk-pressure", "NoSchedule"],
  ["node.kubernetes.io/memory-pressure", "NoSchedule"],
  ["node.kubernetes.io/pid-pressure", "NoSchedule"],
  ["node.kubernetes.io/unschedulable", "NoSchedule"],
] as const;
const networkMissing = ["node.kubernetes.io/network-unavailable", "NoSchedule"] as const;

export interface Eligibility {
  /** Whether a pod should be on the node. */
  readonly shouldRun: boolean;
  /** Whether a present pod may stay. */
  readonly mayStay: boolean;
}

export type NodeJudge = (node: Node) => Eligibility;

export function judgeNodes(template: PodTemplateSpec): NodeJudge {
  const spec = template.spec ?? { containers: [] };
  const tolerations = daemonTolerations(spec);
  const isSelected = requiredNodes(spec);
  return (node) => {
    const isNamed = !spec.nodeName || spec.nodeName === node.metadata.name;
    if (!isNamed || isSelected?.(node) === false) return { shouldRun: false, mayStay: false };
    const { taints } = node.spec;
    const isClosed = untolerated(taints, tolerations, ["NoSchedule", "NoExecute"]) !== undefined;
    const isHostile = untolerated(taints, tolerations, ["NoExecute"]) !== undefined;
    return { shouldRun: !isClosed, mayStay: !isHostile };
  };
}

export function daemonTolerations({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const borne = hostNetwork === true ? [...hardships, networkMissing] : hardships;
  const added = borne.map(([key, effect]) => ({ key, operator: "Exists" as const, effect }));
  const isThere = ({ key, effect }: Toleration) =>
    tolerations.some(
      (each) => each.key === key && each.effect === effect && each.operator === "Exists",
    );
  return [...tolerations, ...added.filter((each) => !isThere(each))];
}

/**
 * Returns the template for one node: with an affinity by which the scheduler puts the pod there when there is
 * room.
 */
export function templateFor(template: PodTemplateSpec, node: string): PodTemplateSpec {
  const spec = structuredClone(template.spec ?? { containers: [] });
  const matchFields = [{ key: "metadata.name", operator: "In" as const, values: [node] }];
  const { nodeAffinity, ...others } = spec.affinity ?? {};
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [{}];
  return {
    ...template,
    spec: {
      ...spec,
      tolerations: daemonTolerations(spec),
      affinity: {
        ...others,
        nodeAffinity: {
          ...nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: terms.map(({ matchExpressions }) => ({
              ...defined({ matchExpressions }),
              matchFields,
            })),
          },
        },
      },
    },
  };
}

/** Returns the node on which a pod is, or is meant to be. */
export function nodeOfPod({ spec }: Pod): string {
  return spec.nodeName || (onlyNodeName(spec) ?? "");
}
