// The protobuf form (gnostic) of a version 2 document, which older clients require. Its messages spell out
// what JSON leaves open: maps are lists of named values, alternatives are messages of their own, and
// extensions are YAML text.

import { encodeMessage } from "../protobuf/encode.ts";
import { openTable } from "../schema/parse.ts";
import type { Json } from "./definitions.ts";
import type { Entries } from "./entries.ts";

/** Encodes a document entry by entry: the bytes of a repeated field are those of its elements, one after the other. */
export async function encodeDocument(
  head: Json,
  { paths, definitions }: { readonly paths: Entries; readonly definitions: Entries },
  pause: () => Promise<void>,
): Promise<Uint8Array> {
  const part = async (entries: Entries, toBytes: (name: string, value: Json) => Uint8Array) => {
    const parts: Uint8Array[] = [];
    for (const [name, make] of entries) {
      parts.push(toBytes(name, make()));
      await pause();
    }
    return Buffer.concat(parts);
  };
  const allPaths = await part(paths, (name, value) =>
    encode("Paths", { path: [{ name, value: pathItem(value) }] }),
  );
  const allDefinitions = await part(definitions, (name, value) =>
    encode("Definitions", { items: [{ name, value: schemaObject(value) }] }),
  );
  return Buffer.concat([
    encode("Document", head),
    ...embedded(pathsField, allPaths),
    ...embedded(definitionsField, allDefinitions),
  ]);
}

function encode(message: string, value: Json): Uint8Array {
  const schema = messages.type(message);
  if (schema === undefined) throw new Error(`Cannot encode the document: no message ${message}`);
  return encodeMessage(schema, value);
}

/** The numbers of the fields of Document that are encoded in parts. */
const pathsField = 8;
const definitionsField = 9;

/** Returns a field that holds a message: its number and wire type, the length, and the bytes. */
function embedded(field: number, content: Uint8Array): Uint8Array[] {
  const length: number[] = [];
  let rest = content.length;
  for (; rest > 127; rest >>>= 7) length.push((rest & 127) | 128);
  return [Buffer.of((field << 3) | 2, ...length, rest), content];
}

const messages = openTable(
  `
Document
  swagger     1 *string
  info        2 *Info
  paths       8 *Paths
  definitions 9 *Definitions

Info
  title   1 *string
  version 2 *string

Paths
  path 2 [NamedPathItem]

NamedPathItem
  name  1 *string
  value 2 *PathItem

PathItem
  get        2 *Operation
  put        3 *Operation
  post       4 *Operation
  delete     5 *Operation
  patch      8 *Operation
  parameters 9 [ParametersItem]

Operation
  operationId  5 *string
  produces     6 [string]
  consumes     7 [string]
  parameters   8 [ParametersItem]
  responses    9 *Responses
  extensions  13 [NamedAny]

ParametersItem
  parameter 1 *Parameter

Parameter
  body  1 *BodyParameter
  other 2 *OtherParameter

BodyParameter
  name     2 *string
  in       3 *string
  required 4 *boolean
  schema   5 *Schema

OtherParameter
  query 3 *QueryParameter
  path  4 *PathParameter

QueryParameter
  in           2 *string
  name         4 *string
  type         6 *string
  uniqueItems 20 *boolean

PathParameter
  required     1 *boolean
  in           2 *string
  name         4 *string
  type         5 *string
  uniqueItems 19 *boolean

Responses
  codes 1 [NamedResponse]

NamedResponse
  name  1 *string
  value 2 *ResponseValue

ResponseValue
  response 1 *Response

Response
  description 1 *string
  schema      2 *ResponseSchema

ResponseSchema
  schema 1 *Schema

Definitions
  items 1 [NamedSchema]

NamedSchema
  name  1 *string
  value 2 *Schema

Schema
  $ref                  1 *string
  format                2 *string
  title                 3 *string
  description           4 *string
  default               5 *Any
  multipleOf            6 *double
  maximum               7 *double
  exclusiveMaximum      8 *boolean
  minimum               9 *double
  exclusiveMinimum     10 *boolean
  maxLength            11 *int64
  minLength            12 *int64
  pattern              13 *string
  maxItems             14 *int64
  minItems             15 *int64
  uniqueItems          16 *boolean
  maxProperties        17 *int64
  minProperties        18 *int64
  required             19 [string]
  enum                 20 [Any]
  additionalProperties 21 *AdditionalProperties
  type                 22 *Types
  items                23 *Items
  allOf                24 [Schema]
  properties           25 *Definitions
  example              30 *Any
  extensions           31 [NamedAny]

AdditionalProperties
  schema  1 *Schema
  boolean 2 *boolean

Types
  names 1 [string]

Items
  schemas 1 [Schema]

NamedAny
  name  1 *string
  value 2 *Any

Any
  yaml 2 *string
`,
  { prefix: "openapi.v2" },
);

type Convert = (value: Json) => Json;

function named(map: unknown, convert: Convert): Json[] {
  return Object.entries((map ?? {}) as Record<string, Json>).map(([name, value]) => ({
    name,
    value: convert(value),
  }));
}

function pathItem({ parameters, ...methods }: Json): Json {
  return {
    ...Object.fromEntries(
      Object.entries(methods).map(([method, each]) => [method, operation(each as Json)]),
    ),
    parameters: (parameters as Json[]).map(parameter),
  };
}

function operation({ parameters, responses, ...rest }: Json): Json {
  const [extensions, plain] = splitExtensions(rest);
  return {
    ...plain,
    parameters: (parameters as Json[]).map(parameter),
    responses: { codes: named(responses, response) },
    extensions,
  };
}

function parameter(each: Json): Json {
  if (each["in"] === "body") {
    return { parameter: { body: { ...each, schema: schemaObject(each["schema"] as Json) } } };
  }
  return { parameter: { other: each["in"] === "path" ? { path: each } : { query: each } } };
}

function response({ description, schema }: Json): Json {
  const body = schema === undefined ? {} : { schema: { schema: schemaObject(schema as Json) } };
  return { response: { description, ...body } };
}

function schemaObject(schema: Json): Json {
  const [extensions, { type, items, properties, additionalProperties, allOf, ...rest }] =
    splitExtensions(schema);
  const { default: byDefault, example, enum: values, ...plain } = rest;
  return {
    ...plain,
    ...(type === undefined ? {} : { type: { names: [type] } }),
    ...(items === undefined ? {} : { items: { schemas: [schemaObject(items as Json)] } }),
    ...(properties === undefined ? {} : { properties: { items: named(properties, schemaObject) } }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "boolean"
              ? { boolean: additionalProperties }
              : { schema: schemaObject(additionalProperties as Json) },
        }),
    ...(allOf === undefined ? {} : { allOf: (allOf as Json[]).map(schemaObject) }),
    ...(byDefault === undefined ? {} : { default: any(byDefault) }),
    ...(example === undefined ? {} : { example: any(example) }),
    ...(values === undefined ? {} : { enum: (values as unknown[]).map(any) }),
    extensions,
  };
}

function splitExtensions(object: Json): [extensions: Json[], rest: Json] {
  const entries = Object.entries(object);
  const isExtension = ([name]: [string, unknown]) => name.startsWith("x-");
  return [
    entries.filter(isExtension).map(([name, value]) => ({ name, value: any(value) })),
    Object.fromEntries(entries.filter((entry) => !isExtension(entry))),
  ];
}

/** An extension as YAML text, for which JSON will do. */
function any(value: unknown): Json {
  return { yaml: JSON.stringify(value) };
}
