// The facet of an object that a request sees and may change: all of it, or the part of a subresource.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { withResizes } from "../../../api/kinds/pod.ts";
import { schemaOf } from "../../../api/schema/registry.ts";
import type { Pod, PodSpec } from "../../../api/types/core.ts";
import { noSuchResource } from "../errors.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Expected } from "../write/decode.ts";
import { showScale, takeScale } from "./scale.ts";

export interface Facet extends Expected {
  /** Returns what the client sees of a stored object, in the served version. */
  show(stored: ApiObject): ApiObject;
  /** Returns the stored object with the client's part in it. Neither argument may be used afterwards. */
  take(stored: ApiObject, given: ApiObject): ApiObject;
  /** Says that the facet is the object itself, available in every form; others are JSON only. */
  readonly isObject: boolean;
}

export function facetOf(resource: ServedResource, subresource: string | undefined): Facet {
  if (subresource === "scale") return scaleFacet(resource);
  const { apiVersion, kind, schema, conversion, custom, rules } = resource;
  const takePart = subresource === undefined ? undefined : parts[subresource];
  return {
    apiVersion,
    kind,
    schema,
    custom,
    rules,
    isObject: true,
    show: (stored) => conversion?.fromStored(stored) ?? stored,
    take(stored, given) {
      const converted = conversion?.toStored(given) ?? given;
      return takePart === undefined ? converted : takePart(stored, converted);
    },
  };
}

function scaleFacet({ scale }: ServedResource): Facet {
  const schema = schemaOf({ group: "autoscaling", version: "v1", kind: "Scale" });
  if (schema === undefined || scale === undefined) throw noSuchResource();
  return {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    schema,
    isObject: false,
    show: (stored) => showScale(stored, scale),
    take: (stored, given) => takeScale(stored, given, scale),
  };
}

/** The subresources that change one field and keep the rest. The status is left to the kind. */
const parts: Readonly<Record<string, (stored: ApiObject, given: ApiObject) => ApiObject>> = {
  approval: (stored, given) => withConditions(stored, given),
  finalize: (stored, given) => withSpecField(stored, given, "finalizers"),
  ephemeralcontainers: (stored, given) => withSpecField(stored, given, "ephemeralContainers"),
  resize: (stored, given) => withSpec(stored, withResizes(specOf(stored), specOf(given)), given),
};

interface WithConditions extends ApiObject {
  status?: { conditions?: unknown };
}

/** Takes over the conditions and the metadata, which is all that approvers of a certificate request may write. */
function withConditions(stored: WithConditions, given: WithConditions): WithConditions {
  const { conditions } = given.status ?? {};
  const { metadata } = given;
  const status = { ...stored.status, conditions: conditions ?? [] };
  return { ...stored, ...(metadata === undefined ? {} : { metadata }), status };
}

interface WithSpec extends ApiObject {
  spec?: Record<string, unknown>;
}

function withSpecField(stored: WithSpec, given: WithSpec, field: string): WithSpec {
  const { [field]: _, ...spec } = stored.spec ?? {};
  const value = given.spec?.[field];
  return withSpec(stored, value === undefined ? spec : { ...spec, [field]: value }, given);
}

function withSpec(stored: ApiObject, spec: object, given: ApiObject): WithSpec {
  const metadata = { ...stored.metadata };
  if (given.metadata?.resourceVersion !== undefined) {
    metadata.resourceVersion = given.metadata.resourceVersion;
  }
  return { ...stored, metadata, spec: spec as Record<string, unknown> };
}

function specOf(pod: ApiObject): PodSpec {
  return (pod as Partial<Pod>).spec ?? { containers: [] };
}
