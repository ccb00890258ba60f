// What an authorizer is told about a request.
import type { Attributes } from "./access.ts";
import type { RequestInfo } from "./request-info.ts";

export function attributesOf({ method, path, query, resource }: RequestInfo): Attributes {
  if (resource === undefined) {
    return { verb: method.toLowerCase(), group: "", version: "", resource: "", path };
  }
  const { verb, group, version, subresource, namespace } = resource;
  const fieldSelector = query.get("fieldSelector") ?? "";
  const labelSelector = query.get("labelSelector") ?? "";
  const name = resource.name ?? nameSelected(fieldSelector);
  return {
    verb,
    group,
    version,
    resource: resource.resource,
    path,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(fieldSelector === "" ? {} : { fieldSelector }),
    ...(labelSelector === "" ? {} : { labelSelector }),
  };
}

/** A list of the one object with a name counts as a request about that object. */
function nameSelected(fieldSelector: string): string | undefined {
  return /(?:^|,)metadata\.name==?([^,!=]+)(?:,|$)/.exec(fieldSelector)?.[1];
}
