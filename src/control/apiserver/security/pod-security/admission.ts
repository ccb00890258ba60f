// Pod Security admission: checks pods against the levels in their namespace's labels, or the defaults.
import type { Namespace, Pod, PodTemplateSpec } from "../../../../api/types/core.ts";
import type { Admission, Attributes, Remarks } from "../../access.ts";
import { forbidden, invalid } from "../../errors.ts";
import type { ObjectReader } from "../objects.ts";
import type { CheckedPod } from "./check.ts";
import type { PodSecuritySettings } from "./configuration.ts";
import { exemptionWarning, podWarnings } from "./namespace-warnings.ts";
import {
  compareLevels,
  describe,
  isPrivileged,
  type LevelVersion,
  levelText,
  type Policy,
  policyOf,
  sameLevel,
  violations,
} from "./policy.ts";

const prefix = "pod-security.kubernetes.io/";
/** The subresources of pods that do not change what runs. */
const ignored = new Set([
  "attach",
  "binding",
  "eviction",
  "exec",
  "log",
  "portforward",
  "proxy",
  "status",
]);

type WithTemplate = { readonly template?: PodTemplateSpec };

/** The pod templates of objects, by group and resource. */
const templates: Readonly<Record<string, (object: object) => PodTemplateSpec | undefined>> = {
  "/podtemplates": (object) => (object as WithTemplate).template,
  "/replicationcontrollers": inSpec,
  "apps/daemonsets": inSpec,
  "apps/deployments": inSpec,
  "apps/replicasets": inSpec,
  "apps/statefulsets": inSpec,
  "batch/cronjobs": (object) =>
    inSpec((object as { spec?: { jobTemplate?: object } }).spec?.jobTemplate ?? {}),
  "batch/jobs": inSpec,
};

export function podSecurity(objects: ObjectReader, settings: PodSecuritySettings): Admission {
  const { exemptions, defaults } = settings;
  const policyIn = (namespace: string): ReturnType<typeof policyOf> => {
    const { metadata } = (objects.get("namespaces", "", namespace) ?? {}) as Partial<Namespace>;
    return policyOf(metadata?.labels ?? {}, defaults);
  };

  const evaluate = (
    pod: CheckedPod,
    { attributes, name, enforces }: { attributes: Attributes; name: string; enforces: boolean },
  ): Remarks => {
    const { policy, errors } = policyIn(attributes.namespace ?? "");
    if (exemptions.runtimeClasses.includes(pod.spec.runtimeClassName ?? "")) {
      return { annotations: { [`${prefix}exempt`]: "runtimeClass" } };
    }
    const violated = remember(pod);
    const annotations: Record<string, string> = {};
    if (errors.length > 0) {
      annotations[`${prefix}error`] =
        `Failed to parse policy: ${errors.map(({ field }) => field).join(", ")}`;
    }
    if (enforces) annotations[`${prefix}enforce-policy`] = levelText(policy.enforce);
    const refused = enforces ? violated(policy.enforce) : "";
    if (refused !== "") {
      const why = `violates PodSecurity "${levelText(policy.enforce)}": ${refused}`;
      const resource = { group: attributes.group, name: attributes.resource };
      throw forbidden(resource, name, why);
    }
    const audited = violated(policy.audit);
    if (audited !== "") annotations[`${prefix}audit-violations`] = would(policy.audit, audited);
    const warned = violated(policy.warn);
    return { annotations, ...(warned === "" ? {} : { warnings: [would(policy.warn, warned)] }) };
  };

  const admitNamespace = (old: Namespace | undefined, object: Namespace): Remarks => {
    const { name, labels = {} } = object.metadata;
    const now = policyOf(labels, defaults);
    const before = policyOf(old?.metadata.labels ?? {}, defaults);
    const isNews = JSON.stringify(now.errors) !== JSON.stringify(before.errors);
    if (now.errors.length > 0 && (old === undefined || isNews)) {
      throw invalid({ group: "", name: "Namespace" }, name, now.errors);
    }
    const isExempt = exemptions.namespaces.includes(name);
    if (isExempt && (old === undefined || tightens(now.policy, before.policy))) {
      return { warnings: exemptionWarning(object.metadata, now.policy, defaults) };
    }
    if (isExempt || old === undefined || !tightens(now.policy, before.policy)) return {};
    const pods = [...(objects.list("pods") as Iterable<Pod>)].filter(
      ({ metadata, spec }) =>
        metadata.namespace === name &&
        !exemptions.runtimeClasses.includes(spec.runtimeClassName ?? ""),
    );
    return { warnings: podWarnings(name, pods, now.policy.enforce) };
  };

  return {
    admit(user, attributes, { old, new: object }) {
      const { group, resource, subresource, namespace = "" } = attributes;
      if (object === undefined) return undefined;
      const kind = `${group}/${resource}`;
      if (kind === "/namespaces") {
        if (subresource !== undefined) return undefined;
        return admitNamespace(old as Namespace | undefined, object as Namespace);
      }
      const isPod = kind === "/pods";
      if (isPod ? ignored.has(subresource ?? "") : subresource !== undefined) return undefined;
      const template = isPod ? (object as Pod) : templates[kind]?.(object);
      if (template?.spec === undefined) return undefined;
      if (exemptions.namespaces.includes(namespace)) {
        return { annotations: { [`${prefix}exempt`]: "namespace" } };
      }
      if (exemptions.usernames.includes(user.name)) {
        return { annotations: { [`${prefix}exempt`]: "user" } };
      }
      const { policy, errors } = policyIn(namespace);
      const isIdle = isPod
        ? isPrivileged(policy)
        : policy.warn.level === "privileged" && policy.audit.level === "privileged";
      if (isIdle && errors.length === 0) {
        return isPod
          ? { annotations: { [`${prefix}enforce-policy`]: levelText(policy.enforce) } }
          : undefined;
      }
      if (isPod && old !== undefined && !isSignificant(old as Pod, object as Pod)) return undefined;
      const { spec, metadata } = template;
      const name = (object as Pod).metadata.name;
      const pod = { spec, annotations: metadata?.annotations ?? {} };
      return evaluate(pod, { attributes, name, enforces: isPod });
    },
  };
}

/** Checks a pod once for each level, however many modes use that level. */
function remember(pod: CheckedPod): (level: LevelVersion) => string {
  const known = new Map<string, string>();
  return (level) => {
    const key = levelText(level);
    const found = known.get(key) ?? describe(violations(pod, level));
    known.set(key, found);
    return found;
  };
}

function would(level: LevelVersion, what: string): string {
  return `would violate PodSecurity "${levelText(level)}": ${what}`;
}

/** Returns whether a new policy may refuse pods that the old one allowed. */
function tightens({ enforce: now }: Policy, { enforce: before }: Policy): boolean {
  if (sameLevel(now, before) || now.level === "privileged") return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

/** Returns whether an update is checked: only images and ephemeral containers can change a pod's level. */
function isSignificant({ spec: old }: Pod, { spec }: Pod): boolean {
  const images = (containers: readonly { image?: string }[] = []) =>
    JSON.stringify(containers.map(({ image }) => image ?? ""));
  if (images(old.containers) !== images(spec.containers)) return true;
  if (images(old.initContainers) !== images(spec.initContainers)) return true;
  return (spec.ephemeralContainers ?? []).some(({ name, image }) => {
    const before = (old.ephemeralContainers ?? []).find((one) => one.name === name);
    return before === undefined || before.image !== image;
  });
}

function inSpec(object: object): PodTemplateSpec | undefined {
  return (object as { spec?: WithTemplate }).spec?.template;
}
