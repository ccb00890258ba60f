import { isObject, type JsonObject, sameJson } from "../../base/json/value.ts";
import { PatchError } from "./error.ts";
import {
  changeAt,
  formatPointer,
  indexIn,
  isList,
  missing,
  type Pointer,
  parsePointer,
  valueAt,
} from "./pointer.ts";

export interface JsonPatchLimits {
  readonly maxOperations?: number;
  /** Of all copies together, as text: copies of copies grow without end. */
  readonly maxCopiedBytes?: number;
}

/** The limits of Kubernetes. */
const defaults = { maxOperations: 10_000, maxCopiedBytes: 3 * 1024 * 1024 };

/** The document after the operations of an RFC 6902 patch, all or none. */
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
  let copied = 0;
  return operations.reduce<unknown>((value, operation) => {
    if (operation.op === "copy") {
      copied += JSON.stringify(found(value, operation.from)).length;
      if (copied > maxCopiedBytes) {
        throw new PatchError(
          "RequestEntityTooLarge",
          `Cannot copy ${formatPointer(operation.from)}: more than ${maxCopiedBytes} bytes in all`,
        );
      }
    }
    return apply(value, operation);
  }, document);
}

type Operation =
  | { readonly op: "add" | "replace" | "test"; readonly path: Pointer; readonly value: unknown }
  | { readonly op: "remove"; readonly path: Pointer }
  | { readonly op: "move" | "copy"; readonly path: Pointer; readonly from: Pointer };

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
    case "copy":
      return typeof from === "string"
        ? { op, path, from: parsePointer(from) }
        : fail("it has no from");
    default:
      return fail(`there is no operation ${JSON.stringify(op)}`);
  }
}

function apply(document: unknown, operation: Operation): unknown {
  const { op, path } = operation;
  switch (op) {
    case "add":
      return add(document, path, operation.value);
    case "remove":
      return remove(document, path);
    case "replace":
      return path.length === 0 ? operation.value : set(document, path, operation.value);
    case "move": {
      const value = found(document, operation.from);
      if (isInside(path, operation.from)) {
        throw new PatchError(
          "Invalid",
          `Cannot move ${formatPointer(operation.from)}: ${formatPointer(path)} is inside it`,
        );
      }
      return sameJson(path, operation.from)
        ? document
        : add(remove(document, operation.from), path, value);
    }
    case "copy":
      return add(document, path, found(document, operation.from));
    case "test":
      return test(document, path, operation.value);
  }
}

function add(document: unknown, path: Pointer, value: unknown): unknown {
  if (path.length === 0) return value;
  return changeAt(document, path, (container, step) => {
    if (!isList(container)) return { ...container, [step]: value };
    const index = step === "-" ? container.length : indexIn([...container, undefined], step);
    if (index === undefined) throw missing(path);
    return container.toSpliced(index, 0, value);
  });
}

function remove(document: unknown, path: Pointer): unknown {
  found(document, path);
  return changeAt(document, path, (container, step) => {
    if (isList(container)) return container.toSpliced(indexIn(container, step) ?? 0, 1);
    const { [step]: _, ...others } = container;
    return others;
  });
}

/** Like Kubernetes, and unlike the RFC, this lets a field be replaced that is not there yet. */
function set(document: unknown, path: Pointer, value: unknown): unknown {
  return changeAt(document, path, (container, step) => {
    if (!isList(container)) return { ...container, [step]: value };
    const index = indexIn(container, step);
    if (index === undefined) throw missing(path);
    return container.with(index, value);
  });
}

/** A field that is not there passes for null, in Kubernetes too. */
function test(document: unknown, path: Pointer, value: unknown): unknown {
  const actual = valueAt(document, path);
  const isAbsentField = actual === undefined && isObject(valueAt(document, path.slice(0, -1)));
  if (isAbsentField ? value === null : sameJson(actual, value)) return document;
  throw new PatchError("Invalid", `testing value ${formatPointer(path)} failed: test failed`);
}

function found(document: unknown, path: Pointer): unknown {
  const value = valueAt(document, path);
  if (value === undefined) throw missing(path);
  return value;
}

function isInside(path: Pointer, outer: Pointer): boolean {
  return path.length > outer.length && outer.every((step, index) => path[index] === step);
}
