// What another server serves: its resources, for the discovery documents of this one.
import { isObject } from "../../../base/json/value.ts";

export interface RemoteResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface RemoteDiscovery {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly resources: readonly RemoteResource[];
  /** The URL of the OpenAPI document, which has its hash in it. */
  readonly openApi: string | undefined;
}

/** Reads the resources of an APIResourceList; throws unless it is one. */
export function readResources(document: unknown): RemoteResource[] {
  if (!isObject(document) || !Array.isArray(document["resources"])) {
    throw new Error("the answer is no APIResourceList");
  }
  return document["resources"].filter(isObject).map((each) => ({
    name: textOf(each["name"]),
    singularName: textOf(each["singularName"]),
    namespaced: each["namespaced"] === true,
    ...(typeof each["group"] === "string" ? { group: each["group"] } : {}),
    ...(typeof each["version"] === "string" ? { version: each["version"] } : {}),
    kind: textOf(each["kind"]),
    verbs: textsOf(each["verbs"]),
    ...(Array.isArray(each["shortNames"]) ? { shortNames: textsOf(each["shortNames"]) } : {}),
    ...(Array.isArray(each["categories"]) ? { categories: textsOf(each["categories"]) } : {}),
  }));
}

/** Describes resources as the aggregated document does: subresources are below their resource. */
export function describeRemote({ group, version, resources }: RemoteDiscovery): object[] {
  const kindOf = (each: RemoteResource) => ({
    group: each.group ?? group,
    version: each.version ?? version,
    kind: each.kind,
  });
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((each) => {
      const below = resources.filter(({ name }) => name.startsWith(`${each.name}/`));
      return {
        resource: each.name,
        responseKind: kindOf(each),
        scope: each.namespaced ? "Namespaced" : "Cluster",
        singularResource: each.singularName,
        verbs: each.verbs,
        ...(each.shortNames === undefined ? {} : { shortNames: each.shortNames }),
        ...(each.categories === undefined ? {} : { categories: each.categories }),
        ...(below.length === 0
          ? {}
          : {
              subresources: below.map((one) => ({
                subresource: one.name.slice(each.name.length + 1),
                responseKind: kindOf(one),
                verbs: one.verbs,
              })),
            }),
      };
    });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
