// Questions about access are asked by creating an object that is answered, not kept.
import type { Core } from "../core.ts";
import { noSuchResource } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { sendObject } from "../http/respond.ts";
import type { ServedResource } from "../resources/served.ts";
import { readObject } from "../write/decode.ts";

export async function review(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  negotiate(exchange.request.headers.accept, { isPlain: true });
  const reviewer = core.access.reviewers?.[resource.plural];
  if (reviewer === undefined) throw noSuchResource();
  const object = await readObject(exchange, resource);
  const answered = await reviewer(object, exchange.user, exchange.target.namespace ?? "");
  sendObject(exchange, { metadata: {}, ...answered }, 201);
}
