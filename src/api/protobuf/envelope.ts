// The protobuf bodies of Kubernetes clients: four magic bytes, then a message with the kind and the object.

import { ParseError } from "../../base/json/error.ts";
import { isObject, type JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { openTable } from "../schema/parse.ts";
import { schemaOf } from "../schema/registry.ts";
import { decodeMessage } from "./decode.ts";
import { type EncodeOptions, encodeMessage } from "./encode.ts";
import { Writer } from "./writer.ts";

export const protobufType = "application/vnd.kubernetes.protobuf";

/** Decodes a protobuf body to its object in JSON form. Throws a ParseError for anything else. */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  if (magic.some((byte, index) => body[index] !== byte)) {
    throw new ParseError("InvalidSyntax", "Cannot decode the body: it does not begin with k8s\\0", {
      position: 0,
    });
  }
  const { typeMeta, raw, contentEncoding } = decodeMessage(unknown, body.subarray(magic.length));
  const { apiVersion, kind } = isObject(typeMeta) ? typeMeta : {};
  if (typeof contentEncoding === "string") {
    throw new ParseError(
      "InvalidSyntax",
      `Cannot decode the body: the content encoding ${contentEncoding} is not known`,
    );
  }
  const schema =
    typeof apiVersion === "string" && typeof kind === "string" && find(apiVersion, kind);
  if (!schema) {
    throw new ParseError(
      "InvalidSyntax",
      `Cannot decode the body: no kind ${JSON.stringify(kind ?? "")} in ${JSON.stringify(apiVersion ?? "")}`,
    );
  }
  const object = decodeMessage(schema, Buffer.from(typeof raw === "string" ? raw : "", "base64"));
  return { apiVersion, kind, ...object };
}

/** Encodes the body with an object. */
export function encodeProtobuf(object: JsonObject, options: EncodeOptions = {}): Buffer {
  const { apiVersion, kind, schema } = identify(object);
  return envelop({ apiVersion, kind }, [encodeMessage(schema, object, options)]);
}

/** Encodes the body with a list, from the encoded messages of its items. */
export function encodeProtobufList(list: JsonObject, items: readonly Uint8Array[]): Buffer {
  const { apiVersion, kind, schema } = identify(list);
  const parts = items.flatMap((item) => [fieldHead(itemsNumber, item.length), item]);
  return envelop({ apiVersion, kind }, [encodeMessage(schema, list), ...parts]);
}

/** Encodes an object without its envelope, as an item of a list. */
export function encodeItem(object: JsonObject): Uint8Array {
  return encodeMessage(identify(object).schema, object, { drop: true });
}

/** The field number of `items` in every list. */
const itemsNumber = 2;

function identify(object: JsonObject): { apiVersion: string; kind: string; schema: Schema } {
  const [apiVersion, kind] = [String(object["apiVersion"]), String(object["kind"])];
  const schema = find(apiVersion, kind);
  if (schema === undefined) throw new Error(`Cannot encode ${apiVersion} ${kind}: no such kind`);
  return { apiVersion, kind, schema };
}

/** Wraps an object. It is followed by two fields, which Go writes though they are empty. */
function envelop(
  typeMeta: { apiVersion: string; kind: string },
  parts: readonly Uint8Array[],
): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = encodeMessage(typeMetaSchema, typeMeta);
  return Buffer.concat([
    Uint8Array.from(magic),
    fieldHead(1, head.length),
    head,
    fieldHead(2, length),
    ...parts,
    emptyRest,
  ]);
}

function fieldHead(number: number, length: number): Uint8Array {
  const writer = new Writer();
  writer.head(number, length);
  return writer.finish();
}

/** The fields contentEncoding and contentType, both empty. */
const emptyRest = Uint8Array.from([0x1a, 0, 0x22, 0]);

const magic = [0x6b, 0x38, 0x73, 0x00];

const shapes = openTable(
  `
Unknown
  typeMeta        1 TypeMeta
  raw             2 bytes
  contentEncoding 3 string
  contentType     4 string

TypeMeta
  apiVersion 1 string
  kind       2 string
`,
  { prefix: "runtime" },
);
const unknown = required(shapes.type("Unknown"));
const typeMetaSchema = required(shapes.type("TypeMeta"));

function required(schema: Schema | undefined): Schema {
  if (schema === undefined) throw new Error("Cannot find the envelope");
  return schema;
}

function find(apiVersion: string, kind: string): Schema | undefined {
  const [first = "", second] = apiVersion.split("/");
  return schemaOf(
    second === undefined
      ? { group: "", version: first, kind }
      : { group: first, version: second, kind },
  );
}
