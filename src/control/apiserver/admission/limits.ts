// LimitRange admission: containers of new pods get the defaults of their namespace, and requests or limits
// outside of its bounds are refused, those of resizes as well.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from "../../../api/types/core.ts";
import type { Admission, Completion } from "../access.ts";
import { forbidden, type StatusError } from "../errors.ts";
import type { ObjectReader } from "../security/objects.ts";

type Amounts = Readonly<Record<string, string>>;

export function limitAdmission(objects: ObjectReader): Completion {
  return {
    complete({ group, resource, subresource, namespace = "" }, object) {
      const isPod = resource === "pods";
      if (group !== "" || subresource !== undefined) return Promise.resolve();
      if (!isPod && resource !== "persistentvolumeclaims") return Promise.resolve();
      const limits = limitsOf(objects, namespace);
      if (isPod) fillInPod(object as Pod, limits);
      const problems = isPod
        ? podProblems(object as Pod, limits)
        : claimProblems(object as PersistentVolumeClaim, limits);
      const refusal = refusalOf(resource, object, problems);
      return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
    },
  };
}

/** Refuses resizes of pods to outside of the bounds of their namespace. */
export function resizeLimits(objects: ObjectReader): Admission {
  return {
    admit(_user, { group, resource, subresource, namespace = "" }, change) {
      if (group !== "" || resource !== "pods" || subresource !== "resize") return;
      const pod = change.new as Pod | undefined;
      if (pod === undefined) return;
      const refusal = refusalOf(resource, pod, podProblems(pod, limitsOf(objects, namespace)));
      if (refusal !== undefined) throw refusal;
    },
  };
}

function refusalOf(
  resource: string,
  object: ApiObject,
  problems: readonly string[],
): StatusError | undefined {
  if (problems.length === 0) return undefined;
  const why = problems.length === 1 ? `${problems[0]}` : `[${problems.join(", ")}]`;
  return forbidden({ group: "", name: resource }, object.metadata?.name ?? "", why);
}

function limitsOf(objects: ObjectReader, namespace: string): LimitRangeItem[] {
  const limits: LimitRangeItem[] = [];
  for (const object of objects.list("limitranges")) {
    const { metadata, spec } = object as LimitRange;
    if (metadata.namespace === namespace) limits.push(...(spec.limits ?? []));
  }
  return limits;
}

function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
}

function fillInPod(pod: Pod, limits: readonly LimitRangeItem[]): void {
  for (const limit of limits) {
    if (limit.type === "Container") for (const each of containersOf(pod)) fillIn(each, limit);
  }
}

function podProblems(pod: Pod, limits: readonly LimitRangeItem[]): string[] {
  const { spec } = pod;
  const containers = containersOf(pod);
  return limits.flatMap((limit) => {
    if (limit.type === "Container") {
      return containers.flatMap(({ resources = {} }) =>
        outOfBounds(limit, { limits: resources.limits ?? {}, requests: resources.requests ?? {} }),
      );
    }
    if (limit.type !== "Pod") return [];
    return outOfBounds(limit, {
      limits: total(spec.containers ?? [], "limits"),
      requests: total(spec.containers ?? [], "requests"),
    });
  });
}

function claimProblems(
  { spec }: PersistentVolumeClaim,
  limits: readonly LimitRangeItem[],
): string[] {
  const requests = spec.resources?.requests ?? {};
  return limits
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((limit) => outOfBounds(limit, { requests, limits: requests }));
}

/** Fills in missing requests and limits: a missing request is the explicit limit, or else the default. */
function fillIn(container: Container, limit: LimitRangeItem): void {
  const { limits, requests, ...rest } = container.resources ?? {};
  container.resources = {
    ...rest,
    limits: { ...limit.default, ...limits },
    requests: { ...limit.defaultRequest, ...limits, ...requests },
  };
  for (const list of ["limits", "requests"] as const) {
    if (Object.keys(container.resources[list] ?? {}).length === 0) delete container.resources[list];
  }
}

function total(containers: readonly Container[], list: "limits" | "requests"): Amounts {
  const sums: Record<string, bigint> = {};
  for (const { resources } of containers) {
    for (const [name, amount] of Object.entries(resources?.[list] ?? {})) {
      sums[name] = (sums[name] ?? 0n) + nanosOf(amount);
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([name, nanos]) => [name, `${nanos}n`]));
}

function outOfBounds(
  { type, min = {}, max = {}, maxLimitRequestRatio = {} }: LimitRangeItem,
  asked: { readonly limits: Amounts; readonly requests: Amounts },
): string[] {
  const problems: string[] = [];
  for (const [name, least] of Object.entries(min)) {
    const said = asked.requests[name] ?? asked.limits[name];
    const bound = `minimum ${name} usage per ${type} is ${least}`;
    if (said === undefined) problems.push(`${bound}.  No request is specified`);
    else if (nanosOf(said) < nanosOf(least)) problems.push(`${bound}, but request is ${said}`);
  }
  for (const [name, most] of Object.entries(max)) {
    const said = asked.limits[name] ?? asked.requests[name];
    const bound = `maximum ${name} usage per ${type} is ${most}`;
    if (said === undefined) problems.push(`${bound}.  No limit is specified`);
    else if (nanosOf(said) > nanosOf(most)) problems.push(`${bound}, but limit is ${said}`);
  }
  for (const [name, ratio] of Object.entries(maxLimitRequestRatio)) {
    const [limit, request] = [
      nanosOf(asked.limits[name] ?? "0"),
      nanosOf(asked.requests[name] ?? "0"),
    ];
    const bound = `${name} max limit to request ratio per ${type} is ${ratio}`;
    if (limit === 0n || request === 0n) {
      problems.push(
        `${bound}, but no ${limit === 0n ? "limit" : "request"} is specified or ${limit === 0n ? "limit" : "request"} is 0`,
      );
    } else if (limit * 1_000_000_000n > nanosOf(ratio) * request) {
      problems.push(
        `${bound}, but provided ratio is ${(Number(limit) / Number(request)).toFixed(6)}`,
      );
    }
  }
  return problems;
}
