// The rules for definitions themselves.
import { each, immutable, named, oneOf, present } from "../../api/kinds/checks.ts";
import { duplicate, invalid, notSupported, required } from "../../api/kinds/field-errors.ts";
import type { FieldError, Kind } from "../../api/kinds/kind.ts";
import { dnsLabel, dnsSubdomain, serviceName } from "../../api/kinds/names.ts";
import { nameColumn, table } from "../../api/kinds/table.ts";
import { structuralErrors } from "../../api/schema/custom/structural.ts";
import { compileCustomSchema } from "../../api/schema/from-openapi.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "../../api/types/apiextensions.ts";
import { parseJsonPath, plainFields } from "./json-path.ts";
import { columnTypes } from "./table.ts";

export const customResourceDefinition: Kind<CustomResourceDefinition> = {
  default({ spec }) {
    const { names } = spec;
    names.singular ||= names.kind?.toLowerCase() ?? "";
    names.listKind ||= `${names.kind}List`;
    spec.conversion ??= { strategy: "None" };
  },
  prepareCreate(object) {
    const storage = object.spec.versions?.find((version) => version.storage)?.name;
    object.status = {
      conditions: [],
      acceptedNames: { plural: "", kind: "" },
      storedVersions: storage === undefined ? [] : [storage],
    };
  },
  prepareUpdate(object, old) {
    const storage = object.spec.versions?.find((version) => version.storage)?.name;
    const versions = old.status?.storedVersions ?? [];
    const known = storage === undefined || versions.includes(storage);
    object.status = { ...old.status, storedVersions: known ? versions : [...versions, storage] };
  },
  prepareStatusUpdate(object, old) {
    object.spec = old.spec;
  },
  validate: (object) => [
    ...nameErrors(object),
    ...namesErrors(object),
    ...versionsErrors(object),
    ...oneOf("spec.scope", object.spec.scope, ["Cluster", "Namespaced"]),
    ...conversionErrors(object),
  ],
  validateUpdate: ({ spec }, old) => [
    ...immutable("spec.group", spec.group, old.spec.group),
    ...immutable("spec.names.plural", spec.names.plural, old.spec.names.plural),
    ...immutable("spec.scope", spec.scope, old.spec.scope),
    ...immutable("spec.names.kind", spec.names.kind, old.spec.names.kind),
  ],
  warnings: ({ spec }) =>
    spec.versions.flatMap(({ name, schema }) =>
      schema?.openAPIV3Schema === undefined
        ? []
        : compileCustomSchema(schema.openAPIV3Schema).unsupported.map(
            (place) => `version ${name}: ${place} is not evaluated by this server`,
          ),
    ),
  table: table<CustomResourceDefinition>([
    nameColumn,
    {
      name: "Created At",
      type: "date",
      cell: ({ metadata }) => metadata.creationTimestamp ?? "",
    },
  ]),
};

function nameErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const expected = `${spec.names.plural}.${spec.group}`;
  if (metadata.name === expected) return [];
  return [invalid("metadata.name", metadata.name, `must be spec.names.plural+"."+spec.group`)];
}

function namesErrors({ spec }: CustomResourceDefinition): FieldError[] {
  const { names, group } = spec;
  return [
    ...present("spec.group", group),
    ...named("spec.group", group, dnsSubdomain),
    ...(group.includes(".") || group === ""
      ? []
      : [invalid("spec.group", group, "should be a domain with at least one dot")]),
    ...named("spec.names.plural", names.plural, serviceName),
    ...named("spec.names.singular", names.singular ?? "", serviceName),
    ...each(names.shortNames, "spec.names.shortNames", (name, path) =>
      named(path, name, serviceName),
    ),
    ...each(names.categories, "spec.names.categories", (name, path) =>
      named(path, name, serviceName),
    ),
    ...present("spec.names.kind", names.kind),
    ...named("spec.names.kind", names.kind.toLowerCase(), serviceName),
    ...named("spec.names.listKind", (names.listKind ?? "").toLowerCase(), serviceName),
  ];
}

function versionsErrors({ spec }: CustomResourceDefinition): FieldError[] {
  const { versions } = spec;
  if (versions.length === 0) return [required("spec.versions", "must have at least one version")];
  const seen = new Set<string>();
  const storage = versions.filter((version) => version.storage).length;
  return [
    ...each(versions, "spec.versions", (version, path) => [
      ...(seen.has(version.name) ? [duplicate(`${path}.name`, version.name)] : []),
      ...remember(seen, version.name),
      ...named(`${path}.name`, version.name, dnsLabel),
      ...versionErrors(version, path),
    ]),
    ...(storage === 1
      ? []
      : [
          invalid(
            "spec.versions",
            storage,
            "must have exactly one version marked as storage version",
          ),
        ]),
  ];
}

function remember(seen: Set<string>, name: string): FieldError[] {
  seen.add(name);
  return [];
}

function versionErrors(version: CustomResourceDefinitionVersion, path: string): FieldError[] {
  const schema = version.schema?.openAPIV3Schema;
  const schemaPath = `${path}.schema.openAPIV3Schema`;
  const { scale } = version.subresources ?? {};
  return [
    ...(schema === undefined
      ? [required(schemaPath, "schemas are required")]
      : structuralErrors(schema, schemaPath)),
    ...each(version.additionalPrinterColumns, `${path}.additionalPrinterColumns`, (column, at) => [
      ...present(`${at}.name`, column.name),
      ...oneOf(`${at}.type`, column.type, columnTypes),
      ...pathErrors(`${at}.jsonPath`, column.jsonPath),
    ]),
    ...each(version.selectableFields, `${path}.selectableFields`, ({ jsonPath }, at) =>
      fieldPathErrors(`${at}.jsonPath`, jsonPath),
    ),
    ...(scale === undefined
      ? []
      : [
          ...fieldPathErrors(`${path}.subresources.scale.specReplicasPath`, scale.specReplicasPath),
          ...fieldPathErrors(
            `${path}.subresources.scale.statusReplicasPath`,
            scale.statusReplicasPath,
          ),
        ]),
  ];
}

function pathErrors(field: string, path: string): FieldError[] {
  return parseJsonPath(path) === undefined ? [invalid(field, path, "is not a supported path")] : [];
}

function fieldPathErrors(field: string, path: string): FieldError[] {
  if (plainFields(parseJsonPath(path)) !== undefined) return [];
  return [invalid(field, path, "should be a path of fields such as .spec.replicas")];
}

function conversionErrors({ spec }: CustomResourceDefinition): FieldError[] {
  const strategy = spec.conversion?.strategy ?? "None";
  if (strategy === "None") return [];
  return [notSupported("spec.conversion.strategy", strategy, ["None"])];
}
