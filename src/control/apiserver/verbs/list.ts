import type { Core } from "../core.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { filterOf } from "../lists/filter.ts";
import { readList } from "../lists/read-list.ts";
import { sendList } from "../lists/send-list.ts";
import type { ServedResource } from "../resources/served.ts";
import { resourceForms } from "../views/answer.ts";
import { chooseView } from "../views/choose.ts";

export async function list(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const { info, request, target } = exchange;
  const form = negotiate(request.headers.accept, resourceForms(resource));
  const view = chooseView(core, resource, { form, query: info.query });
  const filter = filterOf(target, info.query, resource);
  const page = await readList(core, resource, {
    query: info.query,
    namespace: target.namespace,
    filter,
  });
  await sendList(core, exchange, page, { view, form });
}
