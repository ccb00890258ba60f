import * as fc from "fast-check";
import { readJson } from "../read-json.ts";

/** JSON values that the parsers accept: without fields named `__proto__`, and with no negative zero. */
export function jsonValues(maxDepth: number): fc.Arbitrary<fc.JsonValue> {
  return fc
    .jsonValue({ maxDepth })
    .map((value) => JSON.stringify(value))
    .filter((text) => !text.includes("__proto__"))
    .map((text) => readJson(text) as fc.JsonValue);
}
