// From a request's body to an object that fits its schema.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import { decodeProtobuf, protobufType } from "../../../api/protobuf/envelope.ts";
import type { Schema } from "../../../api/schema/model.ts";
import { dropNulls, emptyNulls, prune } from "../../../api/schema/prune.ts";
import { validate } from "../../../api/schema/validate.ts";
import { isParseError } from "../../../base/json/error.ts";
import { parseJson } from "../../../base/json/parse-json.ts";
import { parseYaml } from "../../../base/json/parse-yaml.ts";
import { isObject } from "../../../base/json/value.ts";
import { badRequest, unsupportedMediaType } from "../errors.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";

/** What a body is expected to hold. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  /** Other versions of the same form. */
  readonly older?: readonly string[];
  readonly schema: Schema;
  /** Fields in which null says more than absence: see `Kind`. */
  readonly rules?: { readonly removable?: readonly (readonly string[])[] } | undefined;
  /** Custom resources check their own values, and to some of them null says something. */
  readonly custom?: object | undefined;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

const supported = ["application/json", "application/yaml", protobufType];

/** The object of a body in the form it is stored in. */
export function decodeStored(
  exchange: Exchange,
  resource: ServedResource,
  body: Buffer,
): ApiObject {
  const object = decodeObject(exchange, resource, body);
  return resource.conversion === undefined ? object : resource.conversion.toStored(object);
}

/** What is asked of the server rather than stored is short. */
const longestQuestion = 64 * 1024;

export async function readObject(exchange: Exchange, expected: Expected): Promise<ApiObject> {
  return decodeObject(exchange, expected, await readBody(exchange.request, longestQuestion));
}

export function decodeObject(exchange: Exchange, expected: Expected, body: Buffer): ApiObject {
  const strictness = fieldValidation(exchange.info.query);
  const repeated: string[] = [];
  const onDuplicate = strictness === "Ignore" ? undefined : duplicatesInto(repeated);
  const value = parseBody(exchange, body, onDuplicate);
  if (!isObject(value)) throw badRequest(`Cannot read the body: it is not an object`);
  const object = identify(value, expected);
  const unknown: string[] = [];
  const fitting = fit(object, expected, unknown);
  // Kubernetes tells unknown fields first.
  report(exchange, { expected, strictness, problems: [...unknown, ...repeated] });
  return fitting;
}

/** A body with more repeated fields than this is not worth telling of all of them. */
const mostDuplicates = 100;

/** What notes fields that are given more than once. */
export function duplicatesInto(problems: string[]): (path: string) => void {
  return (path) => {
    if (problems.length < mostDuplicates) {
      problems.push(`duplicate field ${JSON.stringify(path)}`);
    }
  };
}

/** Drops what the schema does not know and tells of it; refuses what has the wrong type. */
export function fit(object: ApiObject, expected: Expected, problems: string[]): ApiObject {
  const findings = validate(expected.schema, object);
  const isCustom = expected.custom !== undefined;
  const wrong = findings.find(
    ({ problem, path }) => problem === "type" && (!isCustom || isGeneral.test(path)),
  );
  if (wrong !== undefined) throw cannotHandle(expected, wrong.message);
  const unknown = findings.filter(({ problem }) => problem === "unknown");
  problems.push(...unknown.map(({ message }) => message));
  const known = unknown.length === 0 ? object : prune(expected.schema, object);
  if (isCustom) return known;
  const removing = emptyNulls(expected.schema, known, expected.rules?.removable ?? []);
  return dropNulls(expected.schema, removing);
}

/** The fields every object has. */
const isGeneral = /^(?:apiVersion|kind|metadata)(?:$|[.[])/;

/** Unknown and repeated fields are an error, a warning or nothing, as the client wishes. */
export function report(
  exchange: Exchange,
  found: { expected: Expected; strictness: FieldValidation; problems: readonly string[] },
): void {
  const { expected, strictness, problems } = found;
  if (problems.length === 0 || strictness === "Ignore") return;
  if (strictness === "Strict") {
    throw cannotHandle(expected, `strict decoding error: ${problems.join(", ")}`);
  }
  exchange.warnings.push(...problems);
}

export function fieldValidation(query: URLSearchParams): FieldValidation {
  const text = query.get("fieldValidation") ?? "";
  if (text === "") return "Warn";
  if (text === "Ignore" || text === "Warn" || text === "Strict") return text;
  throw badRequest(
    `fieldValidation: Unsupported value: ${JSON.stringify(text)}: supported values: "Ignore", "Strict", "Warn"`,
  );
}

export function parseText<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (isParseError(error)) throw badRequest(error.message, error);
    throw error;
  }
}

/** The media type of a body without its parameters; the oldest clients name none and mean JSON. */
export function mediaType(exchange: Exchange): string {
  const header = exchange.request.headers["content-type"] ?? "";
  const end = header.indexOf(";");
  const type = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  return type === "" ? "application/json" : type;
}

/** The value of a body, by its content type. */
export function parseBody(
  exchange: Exchange,
  body: Buffer,
  onDuplicate?: (path: string) => void,
): unknown {
  const options = onDuplicate === undefined ? {} : { onDuplicate };
  switch (mediaType(exchange)) {
    case "application/json":
      return parseText(() => parseJson(body, options));
    case "application/yaml":
      return parseText(() => parseYaml(body, options));
    case protobufType:
      return parseText(() => decodeProtobuf(body));
    default:
      throw unsupportedMediaType(supported);
  }
}

/** Fills in what the path says anyway; what the body says must not contradict it. */
function identify(value: Record<string, unknown>, expected: Expected): ApiObject {
  const { apiVersion, kind, older = [] } = expected;
  const { apiVersion: givenVersion = apiVersion, kind: givenKind = kind } = value;
  if (![apiVersion, "", ...older].some((accepted) => accepted === givenVersion)) {
    throw badRequest(
      `the API version in the data (${String(givenVersion)}) does not match the expected API version (${apiVersion})`,
    );
  }
  if (givenKind !== kind && givenKind !== "") {
    throw badRequest(
      `${String(givenKind)} in version ${JSON.stringify(apiVersion)} cannot be handled as a ${kind}: the kinds differ`,
    );
  }
  return { ...value, apiVersion, kind };
}

function cannotHandle({ apiVersion, kind }: Expected, why: string) {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`,
  );
}
