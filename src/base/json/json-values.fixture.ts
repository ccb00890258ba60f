import * as fc from "fast-check";
import { readJson } from "./read-json.ts";

/** JSON as the parsers let it in: without the one name they refuse, and zero without a sign. */
export function jsonValues(maxDepth: number): fc.Arbitrary<fc.JsonValue> {
  return fc
    .jsonValue({ maxDepth })
    .map((value) => JSON.stringify(value))
    .filter((text) => !text.includes("__proto__"))
    .map((text) => readJson(text) as fc.JsonValue);
}
