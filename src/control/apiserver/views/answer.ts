// Answers with one object, in the form the client asked for.
import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { sendJson } from "../http/respond.ts";
import type { ServedResource } from "../resources/served.ts";
import type { Facet } from "../subresources/facet.ts";
import { chooseView } from "./choose.ts";

/** Throws at once when the client asked for a form there is not, before anything is written. */
export function answerWith(
  core: Core,
  exchange: ResourceExchange,
  { resource, facet }: { resource: ServedResource; facet: Facet },
): (item: Item, code?: number) => void {
  const form = negotiate(exchange.request.headers.accept);
  if (!facet.isObject) {
    return (item, code) => {
      const shown = Buffer.from(JSON.stringify(facet.show(item.parse())));
      sendJson(exchange, shown, { ...form, shape: "object" }, code);
    };
  }
  const view = chooseView(core, resource, { form, query: exchange.info.query });
  return (item, code) => sendJson(exchange, view.single(item), form, code);
}
