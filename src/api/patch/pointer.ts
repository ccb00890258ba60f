// JSON pointers (RFC 6901).

import { defaultMaxDepth } from "../../base/json/options.ts";
import { isObject, type JsonObject } from "../../base/json/value.ts";
import { PatchError } from "./error.ts";

/** The steps of a pointer: `/a~1b/0` is `["a/b", "0"]`, the empty pointer is the whole document. */
export type Pointer = readonly string[];

export function parsePointer(text: string): Pointer {
  if (text === "") return [];
  if (!text.startsWith("/")) {
    throw new PatchError("BadRequest", `Cannot read the path ${text}: it does not start with /`);
  }
  const steps = text.slice(1).split("/");
  if (steps.length > defaultMaxDepth) {
    throw new PatchError(
      "BadRequest",
      `Cannot read a path of ${steps.length} steps: the limit is ${defaultMaxDepth}`,
    );
  }
  const pointer = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (pointer.includes("__proto__")) {
    throw new PatchError(
      "BadRequest",
      `Cannot read the path ${text}: __proto__ is a reserved name`,
    );
  }
  return pointer;
}

export function formatPointer(pointer: Pointer): string {
  return pointer.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The value at the pointer; undefined when there is none. */
export function valueAt(document: unknown, pointer: Pointer): unknown {
  let value = document;
  for (const step of pointer) {
    if (Array.isArray(value)) {
      const index = indexIn(value.length, step);
      value = index === undefined ? undefined : value[index];
    } else {
      value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    }
  }
  return value;
}

export type Container = JsonObject | readonly unknown[];

export function isList(container: Container): container is readonly unknown[] {
  return Array.isArray(container);
}

/** The index that a step names in a list of this length. Negative ones count from the end. */
export function indexIn(length: number, step: string): number | undefined {
  if (!/^(?:0|-?[1-9]\d*)$/.test(step)) return undefined;
  const number = Number(step);
  const index = number < 0 ? length + number : number;
  return index >= 0 && index < length ? index : undefined;
}

export function missing(pointer: Pointer): PatchError {
  return new PatchError(
    "Invalid",
    `Cannot find ${formatPointer(pointer)}: the path does not exist`,
  );
}
