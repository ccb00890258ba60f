// The condition Dangling of flow schemas: whether the priority level that a schema names exists.

import { timestamp } from "../../../api/fields/timestamp.ts";
import type { FlowSchema, FlowSchemaCondition } from "../../../api/types/flowcontrol.ts";
import type { Core } from "../core.ts";
import { collectionId } from "../keys.ts";
import { OwnWork } from "../own-work.ts";
import { writeOwn } from "../write/own-object.ts";

const group = "flowcontrol.apiserver.k8s.io";
const schemas = collectionId(group, "flowschemas");
const levels = collectionId(group, "prioritylevelconfigurations");

export function danglingConditions(core: Core): OwnWork {
  const { cache } = core;
  const conditionOf = ({ spec }: FlowSchema) => {
    const { name } = spec.priorityLevelConfiguration;
    return dangling(name, cache.collection(levels).get("", name) !== undefined);
  };
  return new OwnWork(core, {
    collections: [schemas, levels],
    complaint: "Cannot tell whether a flow schema has a priority level",
    async round() {
      for (const item of cache.collection(schemas).list()) {
        const schema = item.parse() as FlowSchema;
        if (isSaid(schema, conditionOf(schema))) continue;
        await write(core, item.name, conditionOf);
      }
    },
  });
}

function dangling(level: string, isFound: boolean): FlowSchemaCondition {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return isFound
    ? { type: "Dangling", status: "False", reason: "Found", message: `${reference} and it exists` }
    : {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message: `${reference} but there is no such object`,
      };
}

function isSaid({ status }: FlowSchema, wanted: FlowSchemaCondition): boolean {
  const said = status?.conditions?.find(({ type }) => type === wanted.type);
  return said?.status === wanted.status && said?.message === wanted.message;
}

async function write(
  core: Core,
  name: string,
  conditionOf: (schema: FlowSchema) => FlowSchemaCondition,
): Promise<void> {
  const resource = core.catalogue.find(group, "v1", "flowschemas");
  if (resource === undefined) return;
  await writeOwn(core, {
    resource,
    namespace: "",
    name,
    desire: (old) => {
      if (old === undefined) return undefined;
      const schema = old as FlowSchema;
      const condition = conditionOf(schema);
      const before = schema.status?.conditions ?? [];
      const said = before.find(({ type }) => type === condition.type);
      const since = said?.status === condition.status ? said?.lastTransitionTime : undefined;
      const lastTransitionTime = since ?? timestamp(core.settings.now());
      const others = before.filter(({ type }) => type !== condition.type);
      schema.status = { conditions: [...others, { ...condition, lastTransitionTime }] };
      return old;
    },
  });
}
