// The attributes of a request, which an authorizer decides by.
import { defined } from "../../base/json/defined.ts";
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
    ...defined({ subresource, namespace, name }),
    ...(fieldSelector === "" ? {} : { fieldSelector }),
    ...(labelSelector === "" ? {} : { labelSelector }),
  };
}

/** Returns the name that a field selector requires: such a list counts as a request for that object. */
function nameSelected(fieldSelector: string): string | undefined {
  return /(?:^|,)metadata\.name==?([^,!=]+)(?:,|$)/.exec(fieldSelector)?.[1];
}
