// Reviews: objects that are created as questions about access, and answered instead of stored.
import { required } from "../../../api/fields/field-errors.ts";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { Core } from "../core.ts";
import { invalid, noSuchResource } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { negotiate } from "../http/negotiate.ts";
import { sendObject } from "../http/respond.ts";
import type { ServedResource } from "../resources/served.ts";
import { readObject } from "../write/decode.ts";

/** The reviews without a spec, which are about the user itself. */
const selfEvident = new Set(["selfsubjectreviews"]);

function refuseWithoutSpec(resource: ServedResource, object: ApiObject): void {
  if (selfEvident.has(resource.plural) || "spec" in object) return;
  throw invalid(resource.groupKind, object.metadata?.name ?? "", [required("spec")]);
}

export async function review(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  negotiate(exchange.request.headers.accept, { isPlain: true });
  const reviewer = core.access.reviewers?.[resource.plural];
  if (reviewer === undefined) throw noSuchResource();
  const object = await readObject(exchange, resource);
  refuseWithoutSpec(resource, object);
  const answered = await reviewer(object, exchange.user, exchange.target.namespace ?? "");
  sendObject(exchange, { metadata: {}, ...answered }, 201);
}
