// Names of types, which are values in expressions: `type(x) == int`.
import type { Environment } from "../environment.ts";
import { dynType, listType, mapType, optionalType, type Type } from "../types.ts";

const standard: ReadonlyMap<string, Type> = new Map<string, Type>([
  ["bool", { kind: "bool" }],
  ["bytes", { kind: "bytes" }],
  ["double", { kind: "double" }],
  ["int", { kind: "int" }],
  ["uint", { kind: "uint" }],
  ["string", { kind: "string" }],
  ["null_type", { kind: "null" }],
  ["list", listType(dynType)],
  ["map", mapType(dynType, dynType)],
  ["type", { kind: "type", of: undefined }],
  ["optional_type", optionalType(dynType)],
  ["google.protobuf.Timestamp", { kind: "timestamp" }],
  ["google.protobuf.Duration", { kind: "duration" }],
  ["net.IP", { kind: "opaque", name: "net.IP", params: [] }],
  ["net.CIDR", { kind: "opaque", name: "net.CIDR", params: [] }],
]);

/** Returns the type of a name that is a type. */
export function typeNamed(environment: Environment, name: string): Type | undefined {
  const of = standard.get(name) ?? environment.findType(name);
  return of && { kind: "type", of };
}
