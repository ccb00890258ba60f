// The field that a rule's error is about: `.spec.names['a.b']`.
import type { JSONSchemaProps } from "../../../types/apiextensions.ts";
import { isSchema } from "../json-schema.ts";

const part = /\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\]/y;

/** Returns the path as it stands in errors; `undefined` when it leads to no field of the schema. */
export function fieldPathOf(schema: JSONSchemaProps, path: string): string | undefined {
  let found: JSONSchemaProps | undefined = schema;
  let shown = "";
  part.lastIndex = 0;
  while (part.lastIndex < path.length) {
    const match = part.exec(path);
    if (match === null || found === undefined) return undefined;
    const name = match[1] ?? (match[2] ?? "").replace(/\\(.)/g, "$1");
    const { properties, additionalProperties }: JSONSchemaProps = found;
    if (properties !== undefined) {
      found = Object.hasOwn(properties, name) ? properties[name] : undefined;
      shown += shown === "" ? name : `.${name}`;
    } else {
      found = isSchema(additionalProperties) ? additionalProperties : undefined;
      shown += `[${name}]`;
    }
    if (found === undefined) return undefined;
  }
  return shown;
}
