import type { Core } from "../core.ts";
import { badRequest, invalid, notAcceptable } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { mediaTypes, negotiate } from "../http/negotiate.ts";
import { answerHeaders } from "../http/respond.ts";
import { filterOf } from "../lists/filter.ts";
import { awaitFreshness, parseResourceVersion } from "../lists/freshness.ts";
import { isTrue } from "../request-info.ts";
import type { ServedResource } from "../resources/served.ts";
import { resourceForms } from "../views/answer.ts";
import { chooseView } from "../views/choose.ts";
import { WatchStream } from "../watch/stream.ts";

const streamTypes = {
  json: mediaTypes.json,
  protobuf: `${mediaTypes.protobuf};stream=watch`,
} as const;

export async function watch(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { info, request, response, target } = exchange;
  const { query } = info;
  const form = negotiate(request.headers.accept, resourceForms(resource));
  if (form.media === "yaml") {
    throw notAcceptable([mediaTypes.json, `${mediaTypes.protobuf};stream=watch`]);
  }
  const view = chooseView(core, resource, { form, query });
  const filter = filterOf(target, query, resource);
  const version = parseResourceVersion(query.get("resourceVersion"));
  const sendInitialEvents = initialEvents(query);
  const timeoutSeconds = parseTimeout(query.get("timeoutSeconds"));
  await awaitFreshness(core, version);

  response.writeHead(200, answerHeaders(exchange, streamTypes[form.media]));
  response.flushHeaders?.();
  const stream = new WatchStream(core, response, {
    collection: core.cache.collection(resource.collection),
    filter,
    view,
    namespace: target.namespace,
    bookmarks: isTrue(query.get("allowWatchBookmarks")),
    timeoutSeconds,
  });
  // A watch without a resourceVersion starts with the present state.
  const fromState = sendInitialEvents ?? (version === undefined || version === 0);
  if (fromState) await stream.fromState({ announceEnd: sendInitialEvents === true });
  else await stream.fromRevision(version ?? core.cache.revision);
}

function initialEvents(query: URLSearchParams): boolean | undefined {
  const text = query.get("sendInitialEvents");
  const match = query.get("resourceVersionMatch") ?? "";
  if (text === null || text === "") {
    if (match !== "")
      throw refuse(
        "resourceVersionMatch",
        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
      );
    return undefined;
  }
  if (match !== "NotOlderThan") {
    throw refuse(
      "resourceVersionMatch",
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    );
  }
  return isTrue(text);
}

function refuse(field: string, detail: string) {
  return invalid({ group: "meta.k8s.io", name: "ListOptions" }, "", [
    { type: "FieldValueForbidden", field, detail },
  ]);
}

function parseTimeout(text: string | null): number {
  if (text === null || text === "") return 0;
  const seconds = Number(text);
  if (!Number.isSafeInteger(seconds) || seconds < 0) {
    throw badRequest(
      `Invalid value: ${JSON.stringify(text)}: timeoutSeconds must be a positive number`,
    );
  }
  return seconds;
}
