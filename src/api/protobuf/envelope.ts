// Protobuf bodies of Kubernetes clients: four bytes, then a message that names the kind and holds
// the object.

import { ParseError } from "../../base/json/error.ts";
import { isObject, type JsonObject } from "../../base/json/value.ts";
import type { Schema } from "../schema/model.ts";
import { openTable } from "../schema/parse.ts";
import { schemaOf } from "../schema/registry.ts";
import { decodeMessage } from "./decode.ts";
import { encodeMessage } from "./encode.ts";

export const protobufType = "application/vnd.kubernetes.protobuf";

/** The object of a protobuf body, in its JSON form. Throws a ParseError for anything else. */
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

/** The body a client sends for an object. */
export function encodeProtobuf(object: JsonObject): Uint8Array {
  const [apiVersion, kind] = [String(object["apiVersion"]), String(object["kind"])];
  const schema = find(apiVersion, kind);
  if (schema === undefined) throw new Error(`Cannot encode ${apiVersion} ${kind}: no such kind`);
  const raw = Buffer.from(encodeMessage(schema, object)).toString("base64");
  const envelope = encodeMessage(unknown, { typeMeta: { apiVersion, kind }, raw });
  return Buffer.concat([Uint8Array.from(magic), envelope]);
}

const magic = [0x6b, 0x38, 0x73, 0x00];

const unknown = required(
  openTable(
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
  ).type("Unknown"),
);

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
