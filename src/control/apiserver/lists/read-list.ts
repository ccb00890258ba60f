// The items of a list, or of one page of it.

import { defined } from "../../../base/json/defined.ts";
import type { Revision } from "../../store/store.ts";
import { isExpired } from "../../store/store.ts";
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { badRequest, expired, invalid } from "../errors.ts";
import { objectKey, parseKey, registry } from "../keys.ts";
import { TimeSlice } from "../limits/time-slice.ts";
import type { ServedResource } from "../resources/served.ts";
import type { ListMetadata } from "../views/view.ts";
import { decodePosition, encodePosition, type Position } from "./continue-token.ts";
import type { ListFilter } from "./filter.ts";
import { awaitFreshness, parseResourceVersion } from "./freshness.ts";

export interface ListRequest {
  readonly query: URLSearchParams;
  readonly namespace: string | undefined;
  readonly filter: ListFilter;
}

export interface ListPage {
  readonly items: readonly Item[];
  readonly metadata: ListMetadata;
}

export async function readList(
  core: Core,
  resource: ServedResource,
  request: ListRequest,
): Promise<ListPage> {
  const limit = parseLimit(request.query.get("limit"));
  const state = await readState(core, resource, request);
  if (!request.filter.isEverything) {
    await resource.conversion?.prepare?.(core.webhooks.post, state.items);
  }
  return await cutPage(core, state, { ...request, limit, resource });
}

/** All items of the collection at one revision, and the index at which the page starts. */
interface State {
  readonly items: readonly Item[];
  readonly revision: Revision;
  readonly start: number;
}

async function readState(
  core: Core,
  resource: ServedResource,
  { query, namespace, filter }: ListRequest,
): Promise<State> {
  const token = query.get("continue") ?? "";
  const version = parseResourceVersion(query.get("resourceVersion"));
  const match = checkMatch(query, version);
  const collection = core.cache.collection(resource.collection);
  if (token !== "") {
    if (version !== undefined && version !== 0) {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const position = decodePosition(token);
    const { revision } = position;
    if (revision !== undefined) {
      const items = await readAt(core, resource, { namespace, revision, position });
      return { items, revision, start: positionIn(items, position) };
    }
    const items = collection.list(namespace);
    return { items, revision: core.cache.revision, start: positionIn(items, position) };
  }
  if (match === "Exact" && version !== undefined) {
    await awaitFreshness(core, version);
    return {
      items: await readAt(core, resource, { namespace, revision: version }),
      revision: version,
      start: 0,
    };
  }
  await awaitFreshness(core, version);
  const { revision } = core.cache;
  if (filter.name !== undefined && (namespace !== undefined || !resource.namespaced)) {
    const item = collection.get(namespace ?? "", filter.name);
    return { items: item === undefined ? [] : [item], revision, start: 0 };
  }
  return { items: collection.list(namespace), revision, start: 0 };
}

async function cutPage(
  core: Core,
  state: State,
  request: ListRequest & { limit: number; resource: ServedResource },
): Promise<ListPage> {
  const { limit, filter, namespace, resource } = request;
  const { items, revision, start } = state;
  const resourceVersion = String(revision);
  const filtered = !filter.isEverything;
  if (!filtered && start === 0 && (limit === 0 || limit >= items.length)) {
    return { items, metadata: { resourceVersion } };
  }
  const page: Item[] = [];
  const most = limit === 0 ? items.length : limit;
  let index = start;
  const slice = new TimeSlice();
  for (; index < items.length && page.length < most; index++) {
    const item = items[index] as Item;
    if (!filtered || filter.matches(item)) page.push(item);
    if (slice.isOver) await slice.yield();
  }
  const last = items[index - 1];
  if (index >= items.length || last === undefined)
    return { items: page, metadata: { resourceVersion } };
  core.snapshots.keep({ collection: resource.collection, namespace, revision }, items);
  return {
    items: page,
    metadata: {
      resourceVersion,
      continue: encodePosition({ revision, namespace: last.namespace, name: last.name }),
      ...(filtered ? {} : { remainingItemCount: items.length - index }),
    },
  };
}

/** Returns the items at an earlier revision, from a kept snapshot or from the store. */
async function readAt(
  core: Core,
  resource: ServedResource,
  at: { namespace: string | undefined; revision: Revision; position?: Position },
): Promise<readonly Item[]> {
  const { namespace, revision, position } = at;
  const { collection } = resource;
  const kept = core.snapshots.find({ collection, namespace, revision });
  if (kept !== undefined) return kept;
  const prefix =
    namespace === undefined ? `${registry}${collection}/` : objectKey(collection, namespace, "");
  const after = position && objectKey(collection, position.namespace, position.name);
  try {
    const page = await core.store.list(prefix, {
      revision,
      ...defined({ after }),
    });
    return page.entries.flatMap(({ key, value, modified }) => {
      const place = parseKey(key);
      return place === undefined ? [] : [core.cache.item(place, value, modified)];
    });
  } catch (error) {
    if (position === undefined || !isExpired(error)) throw error;
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
      encodePosition({ ...position, revision: undefined }),
    );
  }
}

/** Returns the index of the first item after a position, by bisection. */
function positionIn(items: readonly Item[], position: Position): number {
  const wanted = `${position.namespace}/${position.name}`;
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { namespace, name } = items[middle] as Item;
    if (`${namespace}/${name}` <= wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function parseLimit(text: string | null): number {
  if (text === null || text === "") return 0;
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw badRequest(`Invalid value: ${JSON.stringify(text)}: limit must be a positive number`);
  return limit;
}

function checkMatch(query: URLSearchParams, version: Revision | undefined): string {
  const match = query.get("resourceVersionMatch") ?? "";
  if (match === "") return "";
  const refuse = (detail: string) =>
    invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", [
      { type: "FieldValueForbidden", field: "resourceVersionMatch", detail },
    ]);
  if (version === undefined)
    throw refuse("resourceVersionMatch is forbidden unless resourceVersion is provided");
  if (query.get("continue"))
    throw refuse("resourceVersionMatch is forbidden when continue is provided");
  if (match === "Exact" && version === 0)
    throw refuse('resourceVersionMatch "Exact" is forbidden for resourceVersion "0"');
  if (match !== "Exact" && match !== "NotOlderThan") {
    throw invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", [
      {
        type: "FieldValueNotSupported",
        field: "resourceVersionMatch",
        value: match,
        detail: 'supported values: "Exact", "NotOlderThan", ""',
      },
    ]);
  }
  return match;
}
