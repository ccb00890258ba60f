// Writes a list as the bytes of its items, in slabs, without assembling the whole.
import { encodeProtobufList } from "../../../api/protobuf/envelope.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { JsonObject } from "../../../base/json/value.ts";
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { tooMuchWork } from "../errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { type Form, mediaTypes } from "../http/negotiate.ts";
import { sendBytes, sendParts } from "../http/respond.ts";
import { TimeSlice } from "../limits/time-slice.ts";
import { isTrue } from "../request-info.ts";
import { protobufOf, sendInForm } from "../views/answer.ts";
import type { ListMetadata, View } from "../views/view.ts";
import type { ListPage } from "./read-list.ts";

const slabSize = 128 * 1024;
/** The longest list in a form for people to read, which needs the whole list in memory. */
const longestInForm = 32 * 1024 * 1024;

export async function sendList(
  core: Core,
  exchange: Exchange,
  page: ListPage,
  { view, form }: { view: View; form: Form },
): Promise<void> {
  await view.prepare?.(page.items);
  if (form.media === "protobuf") {
    sendBytes(exchange, await protobufList(core, exchange, { page, view }), mediaTypes.protobuf);
    return;
  }
  const slabs = listSlabs(page.items, page.metadata, view);
  const first = slabs.next();
  const second = slabs.next();
  const isWhole = second.done === true;
  if (isWhole || form.media === "yaml" || isTrue(exchange.info.query.get("pretty"))) {
    const rest = isWhole ? [] : [second.value, ...(await inSlices(slabs))];
    const json = Buffer.concat([first.value ?? Buffer.alloc(0), ...rest]);
    await sendInForm(core, exchange, { json, form });
    return;
  }
  await sendParts(exchange, chain(first.value ?? Buffer.alloc(0), second.value, slabs));
}

async function inSlices(slabs: Iterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  const slice = new TimeSlice();
  let size = 0;
  for (const slab of slabs) {
    all.push(slab);
    size += slab.length;
    if (size > longestInForm)
      throw tooMuchWork("ask for fewer objects at a time, or for plain JSON");
    await slice.yield();
  }
  return all;
}

/** Encodes a list as protobuf, which begins with its length, so it is sent as a whole. */
async function protobufList(
  core: Core,
  { user }: Exchange,
  { page, view }: { page: ListPage; view: View },
): Promise<Buffer> {
  const list = readJson(view.open(page.metadata) + view.close) as JsonObject;
  const entries: Buffer[] = [];
  const slice = new TimeSlice();
  for (const item of page.items) {
    if (slice.isOver) await slice.yield();
    const encoded = protobufOf(core, { user: user.name, view, item }, "protobuf item");
    entries.push(Buffer.isBuffer(encoded) ? encoded : await encoded);
  }
  return encodeProtobufList(list, entries);
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
  const slice = new TimeSlice();
  for (const item of items) {
    const entry = view.entry(item);
    if (entry.length === 0) continue;
    if (!isFirst) parts.push(comma);
    isFirst = false;
    parts.push(entry);
    size += entry.length;
    if (size < slabSize && !slice.isOver) continue;
    yield Buffer.concat(parts);
    slice.restart();
    parts = [];
    size = 0;
  }
  parts.push(Buffer.from(view.close));
  yield Buffer.concat(parts);
}

const comma = Buffer.from(",");
