// Answers with one object, in the form the client asked for.
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import type { Exchange, ResourceExchange } from "../http/exchange.ts";
import { type Answerable, type Form, mediaTypes, negotiate } from "../http/negotiate.ts";
import { sendBytes, sendJson } from "../http/respond.ts";
import { isTrue } from "../request-info.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Facet } from "../subresources/facet.ts";
import { chooseView } from "./choose.ts";
import type { View } from "./view.ts";

/** Returns a function that sends the item. Throws at once when the form is not available. */
export function answerWith(
  core: Core,
  exchange: ResourceExchange,
  { resource, facet }: { resource: ServedResource; facet: Facet },
): (item: Item, code?: number) => Promise<void> {
  const form = negotiate(exchange.request.headers.accept, resourceForms(resource));
  if (!facet.isObject) {
    const plain: Form = { ...form, shape: "object" };
    return (item, code) => {
      const json = Buffer.from(JSON.stringify(facet.show(item.parse())));
      return sendInForm(core, exchange, { json, form: plain, code });
    };
  }
  const view = chooseView(core, resource, { form, query: exchange.info.query });
  return async (item, code) => {
    await view.prepare?.([item]);
    await sendItem(core, exchange, { view, item, form, code });
  };
}

/** Returns the restrictions on the forms of a resource. */
export function resourceForms({ custom }: ServedResource): Answerable {
  return { isCustom: custom !== undefined };
}

/** Sends one object as a view shows it, in the form that was asked for. */
export async function sendItem(
  core: Core,
  exchange: Exchange,
  answer: { view: View; item: Item; form: Form; code?: number | undefined },
): Promise<void> {
  const { view, item, form, code } = answer;
  if (form.media === "protobuf") {
    const body = await protobufOf(core, { user: exchange.user.name, view, item }, "protobuf");
    sendBytes(exchange, body, mediaTypes.protobuf, code);
    return;
  }
  await sendInForm(core, exchange, { json: view.single(item), form, code });
}

/** Encodes an object, or the entry of a list, as protobuf; large ones are encoded by another thread. */
export function protobufOf(
  { heavy }: Core,
  { user, view, item }: { user: string; view: View; item: Item },
  form: "protobuf" | "protobuf item",
): Buffer | Promise<Buffer> {
  const method = form === "protobuf" ? "single" : "entry";
  const json = view.json?.[method](item);
  if (heavy === undefined || json === undefined || json.length < lightProtobuf) {
    return view[method](item);
  }
  return heavy.render(user, { type: "render", json, form });
}

/** The sizes up to which converting JSON takes about 10 ms. */
const lightYaml = 8 * 1024;
const lightPretty = 128 * 1024;
const lightProtobuf = 32 * 1024;

/** Sends plain JSON at once; long texts in a form for people to read are written by another thread. */
export async function sendInForm(
  { heavy }: Core,
  exchange: Exchange,
  answer: { json: Buffer; form: Form; code?: number | undefined },
): Promise<void> {
  const { json, form, code } = answer;
  const isYaml = form.media === "yaml";
  const isPretty = isTrue(exchange.info.query.get("pretty"));
  const isLight = !(isYaml || isPretty) || json.length < (isYaml ? lightYaml : lightPretty);
  if (isLight || heavy === undefined) {
    sendJson(exchange, json, form, code);
    return;
  }
  const job = { type: "render", json, form: isYaml ? "yaml" : "pretty" } as const;
  const rendered = await heavy.render(exchange.user.name, job);
  sendBytes(exchange, rendered, mediaTypes[form.media], code);
}
