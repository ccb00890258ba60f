// Which objects of a collection a list or watch is about.
import type { Item } from "../cache/item.ts";
import { badRequest } from "../errors.ts";
import type { ResourceRequest } from "../request-info.ts";
import type { Filter } from "../watch/group.ts";

export function filterOf(target: ResourceRequest, query: URLSearchParams): Filter {
  const { namespace } = target;
  const field = query.get("fieldSelector") ?? "";
  const name = /^metadata\.name==?([^,]*)$/.exec(field)?.[1];
  if ((field !== "" && name === undefined) || query.get("labelSelector")) {
    throw badRequest(`field label not supported: ${field}`);
  }
  return {
    id: `${namespace ?? "*"} ${name ?? "*"}`,
    matches: (item: Item) =>
      (namespace === undefined || item.namespace === namespace) &&
      (name === undefined || item.name === name),
  };
}
