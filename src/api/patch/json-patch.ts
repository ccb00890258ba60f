import { defaultMaxDepth } from "../../base/json/options.ts";
import { readJson } from "../../base/json/read-json.ts";
import { isObject, type JsonObject, sameJson } from "../../base/json/value.ts";
import { Draft, isDeeperThan } from "./draft.ts";
import { PatchError, PatchTestError } from "./error.ts";
import { formatPointer, missing, type Pointer, parsePointer, valueAt } from "./pointer.ts";

export interface JsonPatchLimits {
  readonly maxOperations?: number;
  /** The limit of all copies together, as text: copies of copies grow exponentially. */
  readonly maxCopiedBytes?: number;
}

/** The limits that Kubernetes has. */
const defaults = { maxOperations: 10_000, maxCopiedBytes: 3 * 1024 * 1024 };

/** Applies the operations of an RFC 6902 patch, all or none. */
export function applyJsonPatch(
  document: JsonObject,
  patch: unknown,
  limits: JsonPatchLimits = {},
): unknown {
  const { maxOperations, maxCopiedBytes } = { ...defaults, ...limits };
  if (!Array.isArray(patch)) {
    throw new PatchError("BadRequest", "Cannot read the JSON patch: it is no list of operations");
  }
  if (patch.length > maxOperations) {
    throw new PatchError(
      "RequestEntityTooLarge",
      `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`,
    );
  }
  const operations = patch.map(readOperation);
  const draft = new Draft(document);
  let copyable = maxCopiedBytes;
  for (const operation of operations) {
    if (operation.op === "copy") copyable -= copy(draft, operation, copyable);
    else apply(draft, operation);
  }
  if (isDeeperThan(draft.value, defaultMaxDepth)) throw tooDeep();
  return draft.value;
}

type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: Pointer; readonly value: unknown }
  | { readonly op: "remove"; readonly path: Pointer }
  | { readonly op: "move"; readonly path: Pointer; readonly from: Pointer }
  | { readonly op: "copy"; readonly path: Pointer; readonly from: Pointer };

function readOperation(operation: unknown, index: number): Operation {
  const fail = (state: string): never => {
    throw new PatchError(
      "BadRequest",
      `Cannot read operation ${index} of the JSON patch: ${state}`,
    );
  };
  if (!isObject(operation)) return fail("it is no object");
  const { op, path: to, from } = operation;
  if (typeof to !== "string") return fail("it has no path");
  const path = parsePointer(to);
  switch (op) {
    case "add":
    case "replace":
    case "test":
      if (!Object.hasOwn(operation, "value")) return fail("it has no value");
      return { op, path, value: operation["value"] };
    case "remove":
      return { op, path };
    case "move":
      return {
        op,
        path,
        from: typeof from === "string" ? parsePointer(from) : fail("it has no from"),
      };
    case "copy":
      return {
        op,
        path,
        from: typeof from === "string" ? parsePointer(from) : fail("it has no from"),
      };
    default:
      return fail(`there is no operation ${JSON.stringify(op)}`);
  }
}

function apply(draft: Draft, operation: Exclude<Operation, { op: "copy" }>): void {
  const { op, path } = operation;
  switch (op) {
    case "add":
      draft.add(path, operation.value);
      break;
    case "remove":
      draft.remove(path);
      break;
    case "replace":
      draft.set(path, operation.value);
      break;
    case "move":
      move(draft, operation);
      break;
    case "test":
      test(draft.value, path, operation.value);
      break;
  }
}

function move(draft: Draft, { path, from }: { path: Pointer; from: Pointer }): void {
  if (draft.at(from) === undefined) throw missing(from);
  if (isInside(path, from)) {
    throw new PatchError(
      "Invalid",
      `Cannot move ${formatPointer(from)}: ${formatPointer(path)} is inside it`,
    );
  }
  if (!sameJson(path, from)) draft.add(path, draft.remove(from));
}

/** Copies a value, independent of its original; returns how many bytes were copied. */
function copy(
  draft: Draft,
  { path, from }: { path: Pointer; from: Pointer },
  copyable: number,
): number {
  const value = draft.at(from);
  if (value === undefined) throw missing(from);
  if (isDeeperThan(value, defaultMaxDepth)) throw tooDeep();
  const text = JSON.stringify(value);
  if (text.length > copyable) {
    throw new PatchError(
      "RequestEntityTooLarge",
      `Cannot copy ${formatPointer(from)}: the copies of the patch are too large`,
    );
  }
  draft.add(path, readJson(text));
  return text.length;
}

function tooDeep(): PatchError {
  return new PatchError(
    "Invalid",
    `Cannot patch: the result has more than ${defaultMaxDepth} levels`,
  );
}

/** Tests a value; an absent field equals null, as in Kubernetes. */
function test(document: unknown, path: Pointer, value: unknown): void {
  const actual = valueAt(document, path);
  const isAbsentField = actual === undefined && isObject(valueAt(document, path.slice(0, -1)));
  if (isAbsentField ? value === null : sameJson(actual, value)) return;
  throw new PatchTestError("Invalid", `testing value ${formatPointer(path)} failed: test failed`);
}

function isInside(path: Pointer, outer: Pointer): boolean {
  return path.length > outer.length && outer.every((step, index) => path[index] === step);
}
