import { dialects, type Json, reference } from "./definitions.ts";
import { bodyTypes, responseTypes } from "./media-types.ts";
import type { Operation, Parameter, Path } from "./operations.ts";

const dialect = dialects.v2;

/** Renders a path with its methods for version 2. */
export function renderPath({ names, operations }: Path): Json {
  return {
    ...Object.fromEntries(operations.map((each) => [each.method, renderOperation(each)])),
    parameters: [
      ...names.map((name) => ({
        name,
        in: "path",
        required: true,
        type: "string",
        uniqueItems: true,
      })),
      queryParameter({ name: "pretty", type: "string" }),
    ],
  };
}

function renderOperation(operation: Operation): Json {
  const { action, answer, body, gvk, id, query } = operation;
  return {
    operationId: id,
    consumes: bodyTypes(operation),
    produces: responseTypes(action),
    parameters: [
      ...(body === undefined
        ? []
        : [
            {
              name: "body",
              in: "body",
              required: action === "patch" || action === "post" || action === "put",
              schema: reference(body, dialect),
            },
          ]),
      ...query.map(queryParameter),
    ],
    responses: {
      "200": {
        description: "OK",
        schema: answer === undefined ? { type: "string" } : reference(answer, dialect),
      },
      "401": { description: "Unauthorized" },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
  };
}

function queryParameter({ name, type }: Parameter): Json {
  return { name, in: "query", type, uniqueItems: true };
}
