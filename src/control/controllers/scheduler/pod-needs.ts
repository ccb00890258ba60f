// The scheduler's view of a pod: everything that has to be parsed is parsed once.

import { keyOf } from "../../../api/client/objects.ts";
import { claimsOf, type PodClaim } from "../../../api/kinds/storage.ts";
import { compileTerm, type NodeTest, requiredNodes } from "../../../api/selectors/node-selector.ts";
import type { Pod, Toleration } from "../../../api/types/core.ts";
import { type Amounts, requestsOf } from "./amounts.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import {
  compilePodTerm,
  compileWeighted,
  type Neighbour,
  type PodTerm,
  type WeightedPodTerm,
} from "./pod-terms.ts";
import { compileSpread, type SpreadConstraint } from "./spread-constraint.ts";

export interface PodNeeds extends Neighbour {
  readonly key: string;
  readonly uid: string;
  readonly priority: number;
  /** Whether pods of lower priority may be evicted to make room. */
  readonly mayPreempt: boolean;
  /** The time of the pod's start, or of its creation, in milliseconds. */
  readonly startedAt: number;
  readonly isTerminating: boolean;
  /** The uid of the pod's controller; "" if it has none. */
  readonly controller: string;
  readonly requests: Amounts;
  /** The probable usage, for scoring nodes: pods without requests use something, too. */
  readonly likely: { readonly cpu: number; readonly memory: number };
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly nodes: NodeTest | undefined;
  readonly preferredNodes: readonly { readonly weight: number; readonly test: NodeTest }[];
  readonly near: PodTerms;
  readonly far: PodTerms;
  readonly spread: readonly SpreadConstraint[];
  readonly claims: readonly PodClaim[];
}

export interface PodTerms {
  readonly required: readonly PodTerm[];
  readonly preferred: readonly WeightedPodTerm[];
}

const likelyCpu = 100;
const likelyMemory = 200 * 1024 * 1024;

/** Returns the needs of a pod; the same object for the same pod. */
export function needsOf(pod: Pod): PodNeeds {
  let needs = known.get(pod);
  if (needs === undefined) known.set(pod, (needs = readNeeds(pod)));
  return needs;
}

const known = new WeakMap<Pod, PodNeeds>();

function readNeeds(pod: Pod): PodNeeds {
  const { metadata, spec } = pod;
  const { affinity = {}, topologySpreadConstraints = [] } = spec;
  const requests = requestsOf(spec);
  const wishes = affinity.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    key: keyOf(pod),
    uid: metadata.uid ?? "",
    namespace: metadata.namespace,
    labels: metadata.labels ?? {},
    priority: spec.priority ?? 0,
    mayPreempt: spec.preemptionPolicy !== "Never",
    startedAt: Date.parse(pod.status?.startTime ?? metadata.creationTimestamp ?? "") || 0,
    isTerminating: metadata.deletionTimestamp !== undefined,
    controller: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? "",
    requests,
    likely: {
      cpu: requests.get("cpu") || likelyCpu,
      memory: requests.get("memory") || likelyMemory,
    },
    hostPorts: hostPortsOf(spec),
    tolerations: spec.tolerations ?? [],
    nodes: requiredNodes(spec),
    preferredNodes: wishes.map(({ weight, preference }) => ({
      weight,
      test: compileTerm(preference),
    })),
    near: readTerms(affinity.podAffinity, metadata.namespace),
    far: readTerms(affinity.podAntiAffinity, metadata.namespace),
    claims: claimsOf(pod),
    spread: topologySpreadConstraints.map((constraint) => compileSpread(constraint, pod)),
  };
}

type PodAffinity = NonNullable<NonNullable<Pod["spec"]["affinity"]>["podAffinity"]>;

function readTerms(affinity: PodAffinity | undefined, namespace: string): PodTerms {
  return {
    required: (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      compilePodTerm(term, namespace),
    ),
    preferred: (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) =>
      compileWeighted(term, namespace),
    ),
  };
}
