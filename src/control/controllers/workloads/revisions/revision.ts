// ControllerRevisions: former templates of DaemonSets and StatefulSets, which `kubectl rollout undo` reads.

import type { Draft } from "../../../../api/client/objects.ts";
import { completeTemplate } from "../../../../api/kinds/workloads.ts";
import type { ControllerRevision } from "../../../../api/types/apps.ts";
import type { PodTemplateSpec } from "../../../../api/types/core.ts";
import { canonicalJson } from "../../../../base/json/value.ts";
import { hashOf } from "../names.ts";
import { type Namespaced, referenceTo } from "../ownership.ts";

/** The label of pods and revisions with the revision's hash. */
export const revisionLabel = "controller-revision-hash";
/** The label of revisions with their hash, as StatefulSets have it. */
const hashLabel = "controller.kubernetes.io/hash";

const appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

export interface RevisionOwner extends Namespaced {
  spec: { template: PodTemplateSpec; revisionHistoryLimit?: number };
  status?: { collisionCount?: number };
}

export type RevisionDraft = Draft<ControllerRevision> & Pick<ControllerRevision, "metadata">;

export function newRevision(owner: RevisionOwner, revision: number): RevisionDraft {
  const data = dataOf(owner.spec.template);
  const hash = hashOf(identityOf(data), owner.status?.collisionCount);
  const { labels } = owner.spec.template.metadata ?? {};
  // Annotations of the owner, such as the change cause, are copied to the revision.
  const { [appliedAnnotation]: _, ...annotations } = owner.metadata.annotations ?? {};
  return {
    metadata: {
      namespace: owner.metadata.namespace,
      name: `${owner.metadata.name}-${hash}`,
      labels: { ...labels, [revisionLabel]: hash, [hashLabel]: hash },
      annotations,
      ownerReferences: [referenceTo(owner)],
    },
    data,
    revision,
  };
}

export function revisionHash({ metadata }: Pick<ControllerRevision, "metadata">): string {
  return metadata.labels?.[revisionLabel] ?? metadata.labels?.[hashLabel] ?? "";
}

export function isRevisionOf(revision: ControllerRevision, template: PodTemplateSpec): boolean {
  return identityOf(revision.data) === identityOf(dataOf(template));
}

/** Returns the template that a revision stores. */
export function templateIn({ data }: Pick<ControllerRevision, "data">): PodTemplateSpec {
  const { template } = (data as RevisionData).spec;
  const { $patch: _, ...rest } = structuredClone(template);
  return rest;
}

interface RevisionData {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch?: string } };
}

/**
 * Returns a strategic merge patch that restores the template, byte for byte as programs in Go write it: they
 * look for the revision of a set by comparing bytes.
 */
function dataOf(template: PodTemplateSpec): RevisionData {
  const copy = structuredClone(template);
  for (const container of containersOf(copy)) container.resources ??= {};
  return sorted({ spec: { template: { ...copy, $patch: "replace" } } });
}

function containersOf({ spec }: PodTemplateSpec) {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}

function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1))) as T;
}

const identities = new WeakMap<object, string>();

/**
 * Returns a text that is equal for templates that make equal pods, however old the server that stored them.
 */
function identityOf(data: unknown): string {
  if (typeof data !== "object" || data === null) return "";
  const known = identities.get(data);
  if (known !== undefined) return known;
  const copy = structuredClone(data) as Partial<RevisionData>;
  if (copy.spec?.template !== undefined) {
    completeTemplate(copy.spec.template);
    for (const container of containersOf(copy.spec.template)) {
      if (Object.keys(container.resources ?? {}).length === 0) delete container.resources;
    }
  }
  const identity = canonicalJson(copy);
  identities.set(data, identity);
  return identity;
}
