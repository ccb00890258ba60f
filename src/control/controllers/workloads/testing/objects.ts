// Objects for tests, as the server would have stored them.

import type { ApiObject } from "../../../../api/client/objects.ts";
import type { Node, NodeSpec, Pod, PodSpec, PodTemplateSpec } from "../../../../api/types/core.ts";
import type { ObjectMeta } from "../../../../api/types/meta.ts";
import { defined } from "../../../../base/json/defined.ts";

export interface PodParts {
  readonly metadata?: ObjectMeta;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Pod["status"];
  /** The requests of the only container. */
  readonly requests?: Record<string, string>;
}

export function podOf(name: string, parts: PodParts = {}): Pod {
  const { metadata, spec, status, requests } = parts;
  const resources = requests === undefined ? {} : { resources: { requests } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      uid: `uid-${name}`,
      ...metadata,
      namespace: metadata?.namespace ?? "default",
      name,
    },
    spec: { containers: [{ name: "main", image: "image", ...resources }], ...spec },
    ...defined({ status }),
  };
}

/** Returns a template; versions differ by their image. */
export function templateOf(version: number, app = "web"): PodTemplateSpec {
  return {
    metadata: { labels: { app } },
    spec: { containers: [{ name: "main", image: `image:${version}` }] },
  };
}

export interface NodeParts {
  readonly labels?: Record<string, string>;
  readonly spec?: NodeSpec;
  readonly allocatable?: Record<string, string>;
}

export function nodeOf(name: string, { labels, spec = {}, allocatable }: NodeParts = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...allocatable } },
  };
}

/** Returns the metadata of an object that `owner` controls. */
export function keptBy(owner: ApiObject, labels: Record<string, string> = {}): ObjectMeta {
  const { apiVersion, kind, metadata } = owner;
  const { name, uid = "" } = metadata;
  const reference = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
  return { labels, ownerReferences: [reference] };
}

/** Returns the status of a pod that is running, and ready since then. */
export function readyStatus(since = "2026-01-01T00:00:00Z"): NonNullable<Pod["status"]> {
  const ready = { type: "Ready", status: "True", lastTransitionTime: since };
  return { phase: "Running", conditions: [ready] };
}
