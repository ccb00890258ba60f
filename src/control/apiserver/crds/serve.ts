// Turns a definition into served resources, one per served version.

import type { FieldError } from "../../../api/fields/field-error.ts";
import type { ApiObject, ClusterSettings, Kind } from "../../../api/kinds/kind.ts";
import { compileCustomSchema } from "../../../api/schema/from-openapi.ts";
import {
  everyVerb,
  type Resource,
  type Subresource,
  type Verb,
} from "../../../api/schema/resource.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "../../../api/types/apiextensions.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import {
  apiVersionOf,
  type ScaleFields,
  type ServedResource,
  serveResource,
} from "../resources/served.ts";
import { followJsonPath, parseJsonPath, plainFields } from "./json-path.ts";
import { servedVersion } from "./served-version.ts";
import { printerTable } from "./table.ts";
import { VersionConversion } from "./version-conversion.ts";

export function serveDefinition(definition: CustomResourceDefinition): ServedResource[] {
  const { versions } = definition.spec;
  const stored = versions.find(({ storage }) => storage) ?? versions[0];
  if (stored === undefined) return [];
  const storage = { version: stored, compiled: compile(stored) };
  const conversion = new VersionConversion(definition);
  return versions
    .filter(({ served }) => served)
    .map((version) => serveVersion(definition, version, { storage, conversion }));
}

type Compiled = ReturnType<typeof compileCustomSchema>;

interface Storage {
  readonly version: CustomResourceDefinitionVersion;
  readonly compiled: Compiled;
}

function compile({ schema }: CustomResourceDefinitionVersion): Compiled {
  return compileCustomSchema(schema?.openAPIV3Schema ?? { type: "object" });
}

function serveVersion(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { storage, conversion }: { storage: Storage; conversion: VersionConversion },
): ServedResource {
  const openApi = version.schema?.openAPIV3Schema ?? { type: "object" };
  const compiled = version === storage.version ? storage.compiled : compile(version);
  const resource = resourceOf(definition, version);
  return serveResource({
    resource,
    schema: compiled.schema,
    // Objects are completed and checked in the form in which they are stored.
    rules: rulesOf(version, storage.compiled),
    listKind: definition.spec.names.listKind,
    conversion: readsAsStored(definition)
      ? undefined
      : servedVersion({
          conversion,
          compiled,
          served: apiVersionOf(definition.spec.group, version.name),
          stored: apiVersionOf(definition.spec.group, storage.version.name),
          kind: resource,
        }),
    hasGeneration: true,
    scale: scaleOf(version),
    custom: { ...resource, schema: openApi as JsonObject },
    edition: definition.metadata.resourceVersion,
    warning: deprecation(definition, version),
  });
}

const write: readonly Verb[] = ["get", "patch", "update"];

function resourceOf(
  { spec }: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): Resource {
  const { names, group, scope } = spec;
  const gvk = { group, version: version.name, kind: names.kind };
  const { status, scale } = version.subresources ?? {};
  const subresources: Subresource[] = [];
  if (status !== undefined) subresources.push({ ...gvk, name: "status", verbs: write });
  if (scale !== undefined) {
    const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
    subresources.push({ ...kind, name: "scale", verbs: write });
  }
  return {
    ...gvk,
    plural: names.plural,
    singular: names.singular || names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs: everyVerb,
    subresources,
  };
}

function rulesOf(
  { additionalPrinterColumns, selectableFields = [] }: CustomResourceDefinitionVersion,
  { applyDefaults, validate, validateRules }: ReturnType<typeof compileCustomSchema>,
): Kind {
  const selectable = new Map(
    selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ""), parseJsonPath(jsonPath)]),
  );
  const rules = (object: ApiObject, old: ApiObject | undefined, settings: ClusterSettings) => {
    const wrong = validate(object as JsonObject);
    // Expressions are not evaluated on values that are not of their types.
    if (wrong.some(({ type }) => blocking.has(type))) return [unchecked];
    const { heavyCost: heavy } = settings;
    return [...validateRules(object as JsonObject, old as JsonObject | undefined, { heavy })];
  };
  return {
    default(object) {
      Object.assign(object, applyDefaults(object as JsonObject));
    },
    validate: (object) => [...validate(object as JsonObject)],
    validateCreate: (object, settings) => rules(object, undefined, settings),
    validateUpdate: rules,
    validateStatusUpdate: rules,
    selectableFields: [...selectable.keys()],
    selectableField(object, field) {
      const [value] = followJsonPath(selectable.get(field) ?? [], object);
      return isScalar(value) ? String(value) : "";
    },
    table: printerTable(additionalPrinterColumns),
  };
}

const blocking = new Set(["FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany"]);
const unchecked: FieldError = {
  type: "FieldValueInvalid",
  field: "",
  value: null,
  detail:
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
};

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Returns whether stored objects are read as they are: there is one version, which never changed. */
function readsAsStored({ spec, metadata }: CustomResourceDefinition): boolean {
  return spec.versions.length === 1 && (metadata.generation ?? 1) === 1;
}

function scaleOf({ subresources }: CustomResourceDefinitionVersion): ScaleFields | undefined {
  const scale = subresources?.scale;
  if (scale === undefined) return undefined;
  const fields = (path: string) => plainFields(parseJsonPath(path)) ?? [];
  return {
    specReplicas: fields(scale.specReplicasPath),
    statusReplicas: fields(scale.statusReplicasPath),
    selector: scale.labelSelectorPath === undefined ? undefined : fields(scale.labelSelectorPath),
  };
}

function deprecation(
  { spec }: CustomResourceDefinition,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): string | undefined {
  if (deprecated !== true) return undefined;
  return deprecationWarning ?? `${apiVersionOf(spec.group, name)} ${spec.names.kind} is deprecated`;
}
