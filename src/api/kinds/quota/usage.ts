// The usage of one object: how much of each quota of its namespace it takes, in billionths, by resource name.

import { nanosOf } from "../../fields/quantity.ts";
import type {
  Container,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceQuotaSpec,
  Service,
} from "../../types/core.ts";
import type { ApiObject } from "../kind.ts";
import { isFinishedPod, qualityOfService } from "../pod.ts";

export type Usage = Readonly<Record<string, bigint>>;

export interface Counted {
  readonly group: string;
  readonly plural: string;
}

const one = 1_000_000_000n;

/** The kinds of the core group that are counted under their plural name as well. */
const plain = [
  "configmaps",
  "persistentvolumeclaims",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
];

export function usageOf({ group, plural }: Counted, object: ApiObject): Usage {
  const count = { [countName({ group, plural })]: one };
  if (group !== "") return count;
  if (plural === "pods")
    return isOver(object as Pod) ? count : { ...count, ...ofPod(object as Pod) };
  const own = plain.includes(plural) ? { ...count, [plural]: one } : count;
  if (plural === "services") return { ...own, ...ofService(object as Service) };
  if (plural === "persistentvolumeclaims") {
    return { ...own, ...ofClaim(object as PersistentVolumeClaim) };
  }
  return own;
}

/** Returns the name under which a quota counts objects of a kind. */
export function countName({ group, plural }: Counted): string {
  return `count/${plural}${group === "" ? "" : `.${group}`}`;
}

/** Returns whether the scopes of a quota match the object; scopes only match pods. */
export function isInScope(spec: ResourceQuotaSpec, counted: Counted, object: ApiObject): boolean {
  const wanted = [
    ...(spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists", values: [] })),
    ...(spec.scopeSelector?.matchExpressions ?? []),
  ];
  if (wanted.length === 0) return true;
  if (counted.group !== "" || counted.plural !== "pods") return false;
  return wanted.every(({ scopeName, operator, values = [] }) =>
    hasScope(object as Pod, { scopeName, operator, values }),
  );
}

/** Returns the resources that a quota bounds and a container of the pod does not specify. */
export function unsaidResources(hard: Readonly<Record<string, string>>, { spec }: Pod): string[] {
  return Object.keys(hard).flatMap((name) => {
    const [, list, resource] =
      /^(?:(requests|limits)\.)?(cpu|memory|ephemeral-storage)$/.exec(name) ?? [];
    if (resource === undefined) return [];
    const lacking = (spec.containers ?? []).filter(
      ({ resources }) =>
        resources?.[list === "limits" ? "limits" : "requests"]?.[resource] === undefined,
    );
    return lacking.length === 0
      ? []
      : [`${name} for: ${lacking.map((each) => each.name).join(",")}`];
  });
}

export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Record<string, bigint> = { ...left };
  for (const [name, amount] of Object.entries(right)) sum[name] = (sum[name] ?? 0n) + amount;
  return sum;
}

/** Returns whether a pod has ended: it then counts as an object and uses no resources. */
function isOver(pod: Pod): boolean {
  return isFinishedPod(pod);
}

function ofPod({ spec }: Pod): Usage {
  const usage: Record<string, bigint> = { pods: one };
  for (const list of ["requests", "limits"] as const) {
    for (const [name, amount] of Object.entries(podAmounts(spec, list))) {
      const isUsual = ["cpu", "memory", "ephemeral-storage"].includes(name);
      if (isUsual && list === "requests") usage[name] = amount;
      if (isUsual || list === "requests") usage[`${list}.${name}`] = amount;
    }
  }
  return usage;
}

/** Returns what a pod takes: the sum of its containers, or the largest init container, plus the overhead. */
function podAmounts(spec: PodSpec, list: "requests" | "limits"): Record<string, bigint> {
  const amounts = new Map<string, bigint>();
  const take = ({ resources }: Container, join: (before: bigint, amount: bigint) => bigint) => {
    for (const [name, amount] of Object.entries(resources?.[list] ?? {})) {
      amounts.set(name, join(amounts.get(name) ?? 0n, nanosOf(amount)));
    }
  };
  for (const container of spec.containers ?? [])
    take(container, (before, amount) => before + amount);
  for (const container of spec.initContainers ?? []) {
    take(container, (before, amount) => (before > amount ? before : amount));
  }
  for (const [name, amount] of Object.entries(spec.overhead ?? {})) {
    if (list === "requests" || amounts.has(name)) {
      amounts.set(name, (amounts.get(name) ?? 0n) + nanosOf(amount));
    }
  }
  return Object.fromEntries(amounts);
}

function ofService({ spec }: Service): Usage {
  const isBalanced = spec.type === "LoadBalancer";
  const hasPorts =
    spec.type === "NodePort" || (isBalanced && spec.allocateLoadBalancerNodePorts !== false);
  return {
    "services.nodeports": hasPorts ? BigInt((spec.ports ?? []).length) * one : 0n,
    "services.loadbalancers": isBalanced ? one : 0n,
  };
}

function ofClaim({ spec }: PersistentVolumeClaim): Usage {
  const storage = nanosOf(spec.resources?.requests?.["storage"] ?? "0");
  const prefix = `${spec.storageClassName ?? ""}.storageclass.storage.k8s.io/`;
  return {
    "requests.storage": storage,
    ...(spec.storageClassName
      ? { [`${prefix}requests.storage`]: storage, [`${prefix}persistentvolumeclaims`]: one }
      : {}),
  };
}

interface Scope {
  readonly scopeName: string;
  readonly operator: string;
  readonly values: readonly string[];
}

function hasScope(pod: Pod, { scopeName, operator, values }: Scope): boolean {
  const { spec } = pod;
  switch (scopeName) {
    case "Terminating":
      return spec.activeDeadlineSeconds !== undefined;
    case "NotTerminating":
      return spec.activeDeadlineSeconds === undefined;
    case "BestEffort":
      return qualityOfService(spec) === "BestEffort";
    case "NotBestEffort":
      return qualityOfService(spec) !== "BestEffort";
    case "PriorityClass":
      return hasClass(spec.priorityClassName ?? "", operator, values);
    case "CrossNamespacePodAffinity":
      return looksElsewhere(spec);
    default:
      return false;
  }
}

function hasClass(name: string, operator: string, values: readonly string[]): boolean {
  if (operator === "Exists") return name !== "";
  if (operator === "DoesNotExist") return name === "";
  return values.includes(name) === (operator === "In");
}

function looksElsewhere({ affinity }: PodSpec): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((each) => {
    const terms = [
      ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
        ({ podAffinityTerm }) => podAffinityTerm,
      ),
    ];
    return terms.some(
      ({ namespaces = [], namespaceSelector }) =>
        namespaces.length > 0 || namespaceSelector !== undefined,
    );
  });
}
