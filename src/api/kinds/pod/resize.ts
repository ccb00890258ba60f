// The resize subresource: requests and limits of containers that run. Everything else of the pod stays.

import { defined } from "../../../base/json/defined.ts";
import type { FieldError } from "../../fields/field-error.ts";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../fields/field-errors.ts";
import type { Container, Pod, PodSpec, ResourceRequirements } from "../../types/core.ts";
import { each, isRepeated } from "../checks.ts";
import { sameMeaning } from "../equality.ts";
import { isMirrorPod } from "./account.ts";
import { isSidecar } from "./containers.ts";
import { qualityOfService } from "./quality-of-service.ts";

const resizable = ["cpu", "memory"];
const policies = ["NotRequired", "RestartContainer"];
const lists = ["containers", "initContainers"] as const;

/**
 * Returns the stored spec with the given requests, limits and resize policies. Lists whose containers differ
 * in number, name or order are taken whole, so that they are refused rather than ignored.
 */
export function withResizes(stored: PodSpec, given: PodSpec): PodSpec {
  const containers = resized(stored.containers, given.containers);
  if (stored.initContainers === undefined && given.initContainers === undefined) {
    return { ...stored, containers };
  }
  const initContainers = resized(stored.initContainers ?? [], given.initContainers ?? []);
  return { ...stored, containers, initContainers };
}

export function resizeErrors(pod: Pod, old: Pod): FieldError[] {
  if (isMirrorPod(old)) return [forbidden("", "static pods cannot be resized")];
  if (old.spec.os?.name === "windows") return [forbidden("", "windows pods cannot be resized")];
  const order = lists.flatMap((list) => orderErrors(list, pod.spec, old.spec));
  if (order.length > 0) return order;
  const now = qualityOfService(pod.spec);
  const before = old.status?.qosClass ?? qualityOfService(old.spec);
  const detail = "Pod QOS Class may not change as a result of resizing";
  return [
    ...(now === before ? [] : [invalid("spec", before, detail)]),
    ...(isAnswered(old)
      ? []
      : [forbidden("spec", "Pod running on node without support for resize")]),
    ...lists.flatMap((list) =>
      each(pod.spec[list], `spec.${list}`, (container, path, index) =>
        changeErrors(container, old.spec[list]?.[index] ?? container, {
          path,
          isSpecial: list === "initContainers" && !isSidecar(container),
        }),
      ),
    ),
  ];
}

export function resizePolicyErrors(
  { resizePolicy = [] }: Pick<Container, "resizePolicy">,
  { restartPolicy = "Always" }: PodSpec,
  path: string,
): FieldError[] {
  const names = new Set<string>();
  const oneOf = (value: string, supported: readonly string[]) => {
    if (value === "") return [required(path)];
    return supported.includes(value) ? [] : [notSupported(path, value, supported)];
  };
  const detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
  return each(resizePolicy, path, ({ resourceName, restartPolicy: policy }, one) => [
    ...(isRepeated(names, resourceName) ? [duplicate(one, resourceName)] : []),
    ...oneOf(resourceName, resizable),
    ...oneOf(policy, policies),
    ...(restartPolicy === "Never" && policy !== "NotRequired"
      ? [invalid(path, policy, detail)]
      : []),
  ]);
}

function resized(stored: readonly Container[], given: readonly Container[]): Container[] {
  const isSame =
    stored.length === given.length &&
    stored.every(({ name }, index) => name === given[index]?.name);
  if (!isSame) return [...given];
  return stored.map((before, index) => {
    const container: Container = { ...before };
    delete container.resources;
    delete container.resizePolicy;
    const { resources, resizePolicy }: Partial<Container> = given[index] ?? {};
    return {
      ...container,
      ...defined({ resources, resizePolicy }),
    };
  });
}

function orderErrors(list: (typeof lists)[number], spec: PodSpec, old: PodSpec): FieldError[] {
  const [now, before] = [spec[list] ?? [], old[list] ?? []];
  if (now.length !== before.length) {
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return each(now, `spec.${list}`, ({ name }, path, index) =>
    name === before[index]?.name
      ? []
      : [forbidden(`${path}.name`, `${list} may not be renamed or reordered on resize`)],
  );
}

/** Returns whether the node tells the resources of running containers: one that does not cannot resize them. */
function isAnswered({ status }: Pod): boolean {
  const running = status?.containerStatuses?.find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

interface ChangePlace {
  readonly path: string;
  /** Whether the container is an init container that ends: those are not resized. */
  readonly isSpecial: boolean;
}

function changeErrors(
  container: Container,
  old: Container,
  { path, isSpecial }: ChangePlace,
): FieldError[] {
  if (isSpecial) {
    const detail = "resources for non-sidecar init containers are immutable";
    return sameMeaning(container, old) ? [] : [forbidden("spec", detail)];
  }
  const removed = (["requests", "limits"] as const).filter((list) => {
    const now = container.resources?.[list] ?? {};
    return Object.keys(old.resources?.[list] ?? {}).some((name) => !Object.hasOwn(now, name));
  });
  const errors = removed.map((list) =>
    forbidden(`${path}.resources.${list}`, `resource ${list} cannot be removed`),
  );
  const [now, before] = [container, old].map(({ resources }) => withoutResizable(resources));
  const isSame = sameMeaning(now, before) && sameMeaning(container.resizePolicy, old.resizePolicy);
  return isSame
    ? errors
    : [...errors, forbidden("spec", "only cpu and memory resources are mutable")];
}

function withoutResizable({ limits = {}, requests = {}, ...rest }: ResourceRequirements = {}) {
  const others = (amounts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => !resizable.includes(name)));
  return { ...rest, limits: others(limits), requests: others(requests) };
}
