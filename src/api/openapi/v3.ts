import { dialects, type Json, reference } from "./definitions.ts";
import { bodyTypes, responseTypes } from "./media-types.ts";
import type { Operation, Path } from "./operations.ts";

const dialect = dialects.v3;

/** Renders a path with its methods for version 3. */
export function renderPath({ names, operations }: Path): Json {
  return {
    ...Object.fromEntries(operations.map((each) => [each.method, renderOperation(each)])),
    parameters: [
      ...names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
      { name: "pretty", in: "query", schema: { type: "string" } },
    ],
  };
}

function renderOperation(operation: Operation): Json {
  const { action, answer, body, gvk, id, query } = operation;
  const schema = answer === undefined ? { type: "string" } : reference(answer, dialect);
  return {
    operationId: id,
    parameters: query.map(({ name, type }) => ({
      name,
      in: "query",
      schema: { type, uniqueItems: true },
    })),
    ...(body === undefined
      ? {}
      : { requestBody: { content: content(bodyTypes(operation), reference(body, dialect)) } }),
    responses: {
      "200": { description: "OK", content: content(responseTypes(action), schema) },
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  };
}

function content(types: readonly string[], schema: Json): Json {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
