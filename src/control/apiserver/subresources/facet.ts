// What of an object a request sees and may change: all of it, or the part a subresource stands for.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { schemaOf } from "../../../api/schema/registry.ts";
import { noSuchResource } from "../errors.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Expected } from "../write/decode.ts";
import { showScale, takeScale } from "./scale.ts";

export interface Facet extends Expected {
  /** What the client sees, in the served version, of a stored object. */
  show(stored: ApiObject): ApiObject;
  /** The stored object with what the client gave in its place. Neither argument is used again. */
  take(stored: ApiObject, given: ApiObject): ApiObject;
  /** Shown in any form a client asks for; otherwise only as JSON. */
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

/** Subresources that change one field and leave the rest alone. The status is the kind's own matter. */
const parts: Readonly<Record<string, (stored: ApiObject, given: ApiObject) => ApiObject>> = {
  approval: (stored, given) => withConditions(stored, given),
  finalize: (stored, given) => withSpecField(stored, given, "finalizers"),
  ephemeralcontainers: (stored, given) => withSpecField(stored, given, "ephemeralContainers"),
};

interface WithConditions extends ApiObject {
  status?: { conditions?: unknown };
}

/** Whoever approves a certificate request decides about its conditions alone. */
function withConditions(stored: WithConditions, given: WithConditions): WithConditions {
  const { conditions } = given.status ?? {};
  const metadata = { ...stored.metadata };
  if (given.metadata?.resourceVersion !== undefined) {
    metadata.resourceVersion = given.metadata.resourceVersion;
  }
  return { ...stored, metadata, status: { ...stored.status, conditions: conditions ?? [] } };
}

interface WithSpec extends ApiObject {
  spec?: Record<string, unknown>;
}

function withSpecField(stored: WithSpec, given: WithSpec, field: string): WithSpec {
  const { [field]: _, ...spec } = stored.spec ?? {};
  const value = given.spec?.[field];
  const metadata = { ...stored.metadata };
  if (given.metadata?.resourceVersion !== undefined) {
    metadata.resourceVersion = given.metadata.resourceVersion;
  }
  return { ...stored, metadata, spec: value === undefined ? spec : { ...spec, [field]: value } };
}
