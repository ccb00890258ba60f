// Class admission: new pods get a priority from their PriorityClass, and overhead and node constraints from
// their RuntimeClass.
import { sameMeaning } from "../../../api/kinds/equality.ts";
import type { Pod } from "../../../api/types/core.ts";
import type { RuntimeClass } from "../../../api/types/node.ts";
import type { PriorityClass } from "../../../api/types/scheduling.ts";
import type { Completion } from "../access.ts";
import { forbidden } from "../errors.ts";
import type { ObjectReader } from "../security/objects.ts";

export function classAdmission(objects: ObjectReader): Completion {
  return {
    async complete({ group, resource, subresource }, object) {
      if (group !== "" || resource !== "pods" || subresource !== undefined) return;
      const pod = object as Pod;
      await prioritize(pod, objects);
      await placeByRuntime(pod, objects);
    },
  };
}

async function prioritize(pod: Pod, objects: ObjectReader): Promise<void> {
  const { spec } = pod;
  const name = spec.priorityClassName ?? "";
  const found = name === "" ? globalDefault(objects) : await classNamed(objects, name);
  if (found === undefined) {
    if (name === "") return;
    throw refusal(pod, `no PriorityClass with name ${name} was found`);
  }
  const { value = 0, preemptionPolicy = "PreemptLowerPriority" } = found;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw refusal(
      pod,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw refusal(
      pod,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.priorityClassName = found.metadata.name;
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

/** Returns the global default class; the one of the lowest value if there are several. */
function globalDefault(objects: ObjectReader): PriorityClass | undefined {
  let found: PriorityClass | undefined;
  for (const object of objects.list("priorityclasses")) {
    const each = object as PriorityClass;
    if (each.globalDefault !== true) continue;
    if (found === undefined || (each.value ?? 0) < (found.value ?? 0)) found = each;
  }
  return found;
}

async function classNamed(objects: ObjectReader, name: string): Promise<PriorityClass | undefined> {
  const find = () => objects.get("priorityclasses", "", name) as PriorityClass | undefined;
  const found = find();
  if (found !== undefined) return found;
  await objects.current();
  return find();
}

async function placeByRuntime(pod: Pod, objects: ObjectReader): Promise<void> {
  const { spec } = pod;
  const name = spec.runtimeClassName ?? "";
  if (name === "") {
    if (Object.keys(spec.overhead ?? {}).length === 0) return;
    throw refusal(
      pod,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  }
  const find = () => objects.get("runtimeclasses", "", name) as RuntimeClass | undefined;
  if (find() === undefined) await objects.current();
  const found = find();
  if (found === undefined) throw refusal(pod, `pod rejected: RuntimeClass "${name}" not found`);
  const cost = found.overhead?.podFixed;
  if (spec.overhead !== undefined && !sameMeaning(spec.overhead, cost)) {
    const why = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
    throw refusal(pod, why);
  }
  if (cost !== undefined) spec.overhead = { ...cost };
  const { nodeSelector = {}, tolerations = [] } = found.scheduling ?? {};
  for (const [label, value] of Object.entries(nodeSelector)) {
    const own = spec.nodeSelector?.[label];
    if (own === undefined || own === value) continue;
    throw refusal(
      pod,
      `conflict: runtimeClass.scheduling.nodeSelector[${label}] = ${value}; pod.spec.nodeSelector[${label}] = ${own}`,
    );
  }
  if (Object.keys(nodeSelector).length > 0) {
    spec.nodeSelector = { ...nodeSelector, ...spec.nodeSelector };
  }
  const added = tolerations.filter(
    (one) => !(spec.tolerations ?? []).some((each) => sameMeaning(each, one)),
  );
  if (added.length > 0) spec.tolerations = [...(spec.tolerations ?? []), ...added];
}

function refusal({ metadata }: Pod, why: string) {
  return forbidden({ group: "", name: "pods" }, metadata.name, why);
}
