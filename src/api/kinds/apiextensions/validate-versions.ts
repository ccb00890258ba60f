import type { FieldError } from "../../fields/field-error.ts";
import { duplicate, invalid, required } from "../../fields/field-errors.ts";
import { serviceName } from "../../fields/names.ts";
import { ruleErrors, structuralErrors } from "../../schema/custom.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  JSONSchemaProps,
} from "../../types/apiextensions.ts";
import { each, isRepeated, named, present, tooMany } from "../checks.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];
const max = { selectableFields: 8, warning: 256 };

export function versionErrors({ versions }: CustomResourceDefinitionSpec): FieldError[] {
  const names = new Set<string>();
  const storage = versions.filter((version) => version.storage).length;
  const detail = "must have exactly one version marked as storage version";
  return [
    ...each(versions, "spec.versions", (version, path) => [
      ...named(`${path}.name`, version.name, serviceName),
      ...(isRepeated(names, version.name) ? [duplicate(`${path}.name`, version.name)] : []),
      ...contentErrors(version, path),
    ]),
    ...(storage === 1 ? [] : [invalid("spec.versions", storage, detail)]),
  ];
}

function contentErrors(version: CustomResourceDefinitionVersion, path: string): FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  const schemaPath = `${path}.schema.openAPIV3Schema`;
  return [
    ...(schema === undefined
      ? [required(schemaPath, "schemas are required")]
      : schemaErrors(schema, schemaPath)),
    ...warningErrors(version, `${path}.deprecationWarning`),
    ...subresourceErrors(version.subresources ?? {}, `${path}.subresources`),
    ...each(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`, columnErrors),
    ...selectableErrors(version, `${path}.selectableFields`),
  ];
}

/** Checks the expressions of a schema only when it is structural: its types are known then. */
function schemaErrors(schema: JSONSchemaProps, path: string): FieldError[] {
  const errors = structuralErrors(schema, path);
  return errors.length > 0 ? errors : ruleErrors(schema, path);
}

function warningErrors(
  { deprecated, deprecationWarning: text }: CustomResourceDefinitionVersion,
  field: string,
): FieldError[] {
  if (text === undefined) return [];
  if (deprecated !== true) return [invalid(field, text, "can only be set for deprecated versions")];
  if (text === "") return [invalid(field, text, "must not be an empty string")];
  const isLong = Buffer.byteLength(text) > max.warning;
  return isLong ? [invalid(field, text, `must be <= ${max.warning} characters long`)] : [];
}

function columnErrors(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const { format = "" } = column;
  const type = column.type ?? "";
  const types = `must be one of ${columnTypes.join(",")}`;
  const formats = `must be one of ${columnFormats.join(",")}`;
  return [
    ...present(`${path}.name`, column.name),
    ...(type === "" ? [required(`${path}.type`, types)] : []),
    ...(type === "" || columnTypes.includes(type) ? [] : [invalid(`${path}.type`, type, types)]),
    ...(format === "" || columnFormats.includes(format)
      ? []
      : [invalid(`${path}.format`, format, formats)]),
    ...pathErrors(`${path}.jsonPath`, column.jsonPath),
  ];
}

function subresourceErrors({ scale }: CustomResourceSubresources, path: string): FieldError[] {
  if (scale === undefined) return [];
  const { labelSelectorPath: selector = "" } = scale;
  const at = `${path}.scale`;
  return [
    ...pathErrors(`${at}.specReplicasPath`, scale.specReplicasPath, [".spec"]),
    ...pathErrors(`${at}.statusReplicasPath`, scale.statusReplicasPath, [".status"]),
    ...(selector === ""
      ? []
      : pathErrors(`${at}.labelSelectorPath`, selector, [".spec", ".status"])),
  ];
}

function pathErrors(
  field: string,
  path: string | undefined,
  roots: readonly string[] = [],
): FieldError[] {
  if (!path) return [required(field)];
  if (!path.startsWith(".")) {
    return [invalid(field, path, "must be a simple json path starting with .")];
  }
  if (roots.length === 0 || roots.some((root) => path.startsWith(`${root}.`))) return [];
  const where = roots.length > 1 ? `either ${roots.join(" or ")}` : roots[0];
  return [invalid(field, path, `should be a json path under ${where}`)];
}

function selectableErrors(version: CustomResourceDefinitionVersion, path: string): FieldError[] {
  const fields = version.selectableFields ?? [];
  const schema = version.schema?.openAPIV3Schema ?? {};
  const seen = new Set<string>();
  return [
    ...each(fields, path, ({ jsonPath }, one) => {
      const field = `${one}.jsonPath`;
      if (!jsonPath) return [required(field)];
      return [
        ...selectableFieldErrors(schema, jsonPath, field),
        ...(isRepeated(seen, jsonPath) ? [duplicate(field, jsonPath)] : []),
      ];
    }),
    ...tooMany(path, seen.size, max.selectableFields),
  ];
}

function selectableFieldErrors(schema: JSONSchemaProps, path: string, field: string): FieldError[] {
  const found = propertyAt(schema, path);
  if (found === undefined) {
    return [invalid(field, path, "is an invalid path: does not refer to a valid field")];
  }
  if (path.startsWith(".metadata")) {
    return [invalid(field, path, "must not point to fields in metadata")];
  }
  if (["string", "boolean", "integer"].includes(found.type ?? "")) return [];
  const detail =
    "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
  return [invalid(field, path, detail)];
}

function propertyAt(schema: JSONSchemaProps, path: string): JSONSchemaProps | undefined {
  if (!/^(?:\.[\w$-]+)+$/.test(path)) return undefined;
  let found: JSONSchemaProps | undefined = schema;
  for (const name of path.slice(1).split(".")) {
    const properties: Record<string, JSONSchemaProps> = found?.properties ?? {};
    found = Object.hasOwn(properties, name) ? properties[name] : undefined;
  }
  return found;
}
