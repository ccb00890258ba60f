// Writes a list as the bytes of its items, in slabs, without putting the whole together.
import type { Item } from "../cache/item.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Form } from "../http/negotiate.ts";
import { sendJson, sendParts } from "../http/respond.ts";
import { isTrue } from "../request-info.ts";
import type { ListMetadata, View } from "../views/view.ts";
import type { ListPage } from "./read-list.ts";

const slabSize = 128 * 1024;

export async function sendList(
  exchange: Exchange,
  page: ListPage,
  { view, form }: { view: View; form: Form },
): Promise<void> {
  const slabs = listSlabs(page.items, page.metadata, view);
  const first = slabs.next();
  const second = slabs.next();
  const isWhole = second.done === true;
  if (isWhole || form.media === "yaml" || isTrue(exchange.info.query.get("pretty"))) {
    const rest = isWhole ? [] : [second.value, ...slabs];
    sendJson(exchange, Buffer.concat([first.value ?? Buffer.alloc(0), ...rest]), form);
    return;
  }
  await sendParts(exchange, chain(first.value ?? Buffer.alloc(0), second.value, slabs));
}

function* chain(
  first: Buffer,
  second: Buffer,
  rest: Iterable<Buffer>,
): Generator<Buffer, undefined> {
  yield first;
  yield second;
  yield* rest;
}

function* listSlabs(
  items: readonly Item[],
  metadata: ListMetadata,
  view: View,
): Generator<Buffer, undefined> {
  let parts: Buffer[] = [Buffer.from(view.open(metadata))];
  let size = 0;
  let isFirst = true;
  for (const item of items) {
    const entry = view.entry(item);
    if (entry.length === 0) continue;
    if (!isFirst) parts.push(comma);
    isFirst = false;
    parts.push(entry);
    size += entry.length;
    if (size < slabSize) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  parts.push(Buffer.from(view.close));
  yield Buffer.concat(parts);
}

const comma = Buffer.from(",");
