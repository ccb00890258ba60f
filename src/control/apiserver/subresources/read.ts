// Reads the body of a subresource that has a kind of its own.
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { schemaOf } from "../../../api/schema/registry.ts";
import { noSuchResource } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { apiVersionOf } from "../resources/served.ts";
import { readObject } from "../write/decode.ts";

export interface SubresourceKind {
  readonly group: string;
  readonly kind: string;
  /** Other apiVersions of the kind, which older clients use. */
  readonly older?: readonly string[];
}

export function readSubresource(
  exchange: ResourceExchange,
  { group, kind, older = [] }: SubresourceKind,
): Promise<ApiObject> {
  const schema = schemaOf({ group, version: "v1", kind });
  if (schema === undefined) throw noSuchResource();
  return readObject(exchange, { apiVersion: apiVersionOf(group, "v1"), kind, schema, older });
}
