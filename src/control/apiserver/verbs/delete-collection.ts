import type { Item } from "../cache/item.ts";
import type { Core } from "../core.ts";
import { StatusError } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { filterOf } from "../lists/filter.ts";
import { readList } from "../lists/read-list.ts";
import { sendList } from "../lists/send-list.ts";
import type { ServedResource } from "../resources/served.ts";
import { resourceForms } from "../views/answer.ts";
import { chooseView } from "../views/choose.ts";
import { readDeleteOptions } from "../write/delete-options.ts";
import { deleteObject } from "./delete.ts";

/** The number of deletions that are under way at once. */
const breadth = 16;

export async function deleteCollection(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { target, info, request } = exchange;
  const form = negotiate(request.headers.accept, resourceForms(resource));
  const view = chooseView(core, resource, { form, query: info.query });
  const filter = filterOf(target, info.query, resource);
  const options = await readDeleteOptions(exchange);
  const page = await readList(core, resource, {
    query: info.query,
    namespace: target.namespace,
    filter,
  });
  const waiting = page.items.values();
  const deleteNext = async () => {
    for (const item of waiting) await deleteIfThere(item);
  };
  const deleteIfThere = async ({ namespace, name }: Item) => {
    try {
      await deleteObject(core, exchange, { resource, namespace, name, options });
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== "NotFound") throw error;
    }
  };
  await Promise.all(Array.from({ length: breadth }, deleteNext));
  await sendList(core, exchange, page, { view, form });
}
