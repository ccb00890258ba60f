// Decodes a request's body to an object that fits its schema.

import type { ApiObject } from "../../../api/kinds/kind.ts";
import { decodeProtobuf, protobufType } from "../../../api/protobuf/envelope.ts";
import type { Schema } from "../../../api/schema/model.ts";
import { dropNulls, emptyNulls, prune } from "../../../api/schema/prune.ts";
import { validate } from "../../../api/schema/validate.ts";
import { isParseError } from "../../../base/json/error.ts";
import type { ParseOptions } from "../../../base/json/options.ts";
import { parseJson } from "../../../base/json/parse-json.ts";
import { parseYaml } from "../../../base/json/parse-yaml.ts";
import { isObject } from "../../../base/json/value.ts";
import { badRequest, unsupportedMediaType } from "../errors.ts";
import { readBody } from "../http/body.ts";
import type { Asked, Exchange } from "../http/exchange.ts";
import type { ServedResource } from "../resources/served.ts";

/** The expected content of a body. */
export interface Expected {
  readonly apiVersion: string;
  readonly kind: string;
  /** Other apiVersions of the same kind. */
  readonly older?: readonly string[];
  readonly schema: Schema;
  /** The fields in which null differs from absence: see `Kind`. */
  readonly rules?: { readonly removable?: readonly (readonly string[])[] } | undefined;
  /** Set for custom resources, which validate their own values, some of which may be null. */
  readonly custom?: object | undefined;
}

export type FieldValidation = "Ignore" | "Warn" | "Strict";

const supported = ["application/json", "application/yaml", protobufType];

/** Decodes the object of a body, in its stored form. */
export function decodeStored(exchange: Asked, resource: ServedResource, body: Buffer): ApiObject {
  const object = decodeObject(exchange, resource, body);
  return resource.conversion === undefined ? object : resource.conversion.toStored(object);
}

/** The longest body of an object that is answered instead of stored. */
const longestQuestion = 64 * 1024;

export async function readObject(exchange: Exchange, expected: Expected): Promise<ApiObject> {
  return decodeObject(exchange, expected, await readBody(exchange.request, longestQuestion));
}

export function decodeObject(exchange: Asked, expected: Expected, body: Buffer): ApiObject {
  const strictness = fieldValidation(exchange.info.query);
  const repeated: string[] = [];
  const onDuplicate = strictness === "Ignore" ? undefined : duplicatesInto(repeated);
  const value = parseBody(exchange, body, onDuplicate);
  if (!isObject(value)) throw badRequest(`Cannot read the body: it is not an object`);
  const object = identify(value, expected);
  const unknown: string[] = [];
  const fitting = fit(object, expected, unknown);
  // Unknown fields come first, as in Kubernetes.
  report(exchange, { expected, strictness, problems: [...unknown, ...repeated] });
  return fitting;
}

/** The most repeated fields that are reported. */
const mostDuplicates = 100;

/** Returns a function that records fields given more than once. */
export function duplicatesInto(problems: string[]): (path: string) => void {
  return (path) => {
    if (problems.length < mostDuplicates) {
      problems.push(`duplicate field ${JSON.stringify(path)}`);
    }
  };
}

/** Returns a function that records repeated keys of YAML by their lines, as server-side apply tells them. */
export function repeatedKeysInto(lines: string[]): NonNullable<ParseOptions["onDuplicate"]> {
  return (path, place) => {
    if (lines.length >= mostDuplicates) return;
    if (place === undefined) lines.push(`key ${JSON.stringify(path)} already set in map`);
    else lines.push(`line ${place.line()}: key ${JSON.stringify(place.key)} already set in map`);
  };
}

/** Reports repeated keys of an applied configuration, as the client wishes. */
export function reportRepeatedKeys(exchange: Asked, lines: readonly string[]): void {
  const strictness = fieldValidation(exchange.info.query);
  if (lines.length === 0 || strictness === "Ignore") return;
  const head = "error converting YAML to JSON: yaml: unmarshal errors:";
  const problem = [head, ...lines].join("\n  ");
  if (strictness === "Strict") throw badRequest(`error strict decoding YAML: ${problem}`);
  exchange.warnings.push(problem);
}

/** Drops unknown fields and reports them; refuses values of the wrong type. */
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

/** The fields that every object has. */
const isGeneral = /^(?:apiVersion|kind|metadata)(?:$|[.[])/;

/** Reports unknown and repeated fields as an error, as a warning or not at all, as the client wishes. */
export function report(
  exchange: Asked,
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

/** Returns the media type of a body without its parameters; JSON when the client names none. */
export function mediaType(exchange: Asked): string {
  const header = exchange.request.headers["content-type"] ?? "";
  const end = header.indexOf(";");
  const type = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  return type === "" ? "application/json" : type;
}

/** Parses a body by its content type. */
export function parseBody(
  exchange: Asked,
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

/** Fills in apiVersion and kind; they must not contradict the request. */
export function identify(value: Record<string, unknown>, expected: Expected): ApiObject {
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
