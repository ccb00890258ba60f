import { isObject } from "../../../base/json/value.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { required } from "../../fields/field-errors.ts";
import type { ControllerRevision } from "../../types/apps.ts";
import { immutable, nonNegative } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

export const controllerRevision: Kind<ControllerRevision> = {
  validate: (object) => [...nonNegative("revision", object.revision), ...dataErrors(object)],
  validateUpdate: (object, old) => immutable("data", object.data, old.data),
  table: table<ControllerRevision>([
    nameColumn,
    text("Controller", controllerText),
    { name: "Revision", type: "string", cell: ({ revision }) => revision },
    ageColumn,
  ]),
};

function dataErrors({ data }: ControllerRevision): FieldError[] {
  if (data === undefined) return [required("data", "data is mandatory")];
  return isObject(data) ? [] : [required("data", "data must be a valid JSON object")];
}

/** Returns the owner as text, such as `statefulset.apps/web`. */
function controllerText({ metadata }: ControllerRevision): string {
  const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const group = owner.apiVersion.includes("/") ? owner.apiVersion.split("/")[0] : undefined;
  const kind = owner.kind.toLowerCase();
  return `${group === undefined ? kind : `${kind}.${group}`}/${owner.name}`;
}
