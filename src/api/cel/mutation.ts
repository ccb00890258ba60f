// The environment of mutations: besides everything else, expressions can make objects and JSON patches.
import type { Environment } from "./environment.ts";
import { declare, type FunctionDeclaration } from "./library/library.ts";
import { dynType, listType, type ObjectType, stringType, type Type } from "./types.ts";

/** The type of apply configurations: fields of the object that is to be merged. */
export const objectType = open("Object");

const jsonPatchType: ObjectType = {
  kind: "object",
  name: "JSONPatch",
  fields: new Map<string, Type>([
    ["op", stringType],
    ["path", stringType],
    ["from", stringType],
    ["value", dynType],
  ]),
};

/** The type of JSON patches. */
export const jsonPatchesType: Type = listType(jsonPatchType);

const library: ReadonlyMap<string, FunctionDeclaration> = declare([
  {
    "jsonpatch.escapeKey": {
      string_jsonpatch_escapeKey_string: [
        "(string) string",
        (key) => (key as string).replaceAll("~", "~0").replaceAll("/", "~1"),
      ],
    },
  },
]);

/** Returns the environment with the types and functions of mutations. */
export function withMutations(environment: Environment): Environment {
  return {
    ...environment,
    functions: new Map([...environment.functions, ...library]),
    findType(name) {
      if (name === jsonPatchType.name) return jsonPatchType;
      if (name === "Object" || name.startsWith("Object.")) return open(name);
      return environment.findType(name);
    },
  };
}

function open(name: string): ObjectType {
  return { kind: "object", name, fields: undefined, isOpen: true };
}
