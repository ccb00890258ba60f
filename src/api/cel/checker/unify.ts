// Assignability of types, with type parameters that are bound on the way.
import {
  dynType,
  intType,
  listType,
  mapType,
  nameOf,
  parametersOf,
  sameType,
  type Type,
} from "../types.ts";

/** The types that parameters stand for, by name. */
export type Bindings = ReadonlyMap<string, Type>;

export function isDyn(type: Type): boolean {
  return type.kind === "dyn";
}

export function isDynOrError(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

export function unwrapOptional(type: Type): { type: Type; isOptional: boolean } {
  const isOptional = type.kind === "opaque" && type.name === "optional_type";
  return isOptional ? { type: type.params[0] ?? dynType, isOptional } : { type, isOptional };
}

/** Returns the bindings under which each type is assignable to its counterpart, if there are any. */
export function assign(
  bindings: Bindings,
  from: readonly Type[],
  to: readonly Type[],
): Bindings | undefined {
  const copy = new Map(bindings);
  return allAssignable(copy, from, to) ? copy : undefined;
}

/** Returns the more general of two types that go together. */
export function mostGeneral(a: Type, b: Type): Type {
  return isLessSpecific(a, b) ? a : b;
}

/** Replaces bound parameters; the others become dyn when asked for. */
export function substitute(bindings: Bindings, type: Type, toDyn: boolean): Type {
  if (type.kind === "param") {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return substitute(bindings, bound, toDyn);
    return toDyn ? dynType : type;
  }
  const inner = (each: Type) => substitute(bindings, each, toDyn);
  switch (type.kind) {
    case "list":
      return listType(inner(type.of));
    case "map":
      return mapType(inner(type.key), inner(type.value));
    case "type":
      return type.of === undefined ? type : { kind: "type", of: inner(type.of) };
    case "opaque":
      return { ...type, params: type.params.map(inner) };
    default:
      return type;
  }
}

type Mutable = Map<string, Type>;

function allAssignable(bindings: Mutable, from: readonly Type[], to: readonly Type[]): boolean {
  return (
    from.length === to.length &&
    from.every((each, index) => isAssignable(bindings, each, to[index] as Type))
  );
}

function isAssignable(bindings: Mutable, a: Type, b: Type): boolean {
  if (b.kind === "param") {
    const { isValid, wasBound } = bind(bindings, a, b);
    if (isValid) return true;
    if (wasBound) return false;
  }
  if (a.kind === "param") return bind(bindings, b, a).isValid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === "null") return isNullable(b);
  if (b.kind === "null") return isNullable(a);
  switch (a.kind) {
    case "type":
      return b.kind === "type";
    case "opaque":
    case "list":
    case "map":
      return (
        a.kind === b.kind &&
        nameOf(a) === nameOf(b) &&
        allAssignable(bindings, parametersOf(a), parametersOf(b))
      );
    default:
      return sameType(a, b);
  }
}

function isNullable(type: Type): boolean {
  return ["opaque", "object", "duration", "timestamp", "null"].includes(type.kind);
}

/** Binds a parameter to a type, or checks that its binding goes with it. */
function bind(
  bindings: Mutable,
  type: Type,
  param: Type & { kind: "param" },
): { isValid: boolean; wasBound: boolean } {
  if (type.kind === "param" && type.name === param.name) return { isValid: true, wasBound: true };
  const bound = bindings.get(param.name);
  if (bound === undefined) {
    if (!isFreeOf(bindings, param, type)) return { isValid: false, wasBound: false };
    bindings.set(param.name, type);
    return { isValid: true, wasBound: false };
  }
  if (sameType(type, bound)) return { isValid: true, wasBound: true };
  if (!isAssignable(bindings, type, bound)) return { isValid: false, wasBound: true };
  const general = mostGeneral(type, bound);
  if (isFreeOf(bindings, param, general)) bindings.set(param.name, general);
  return { isValid: true, wasBound: true };
}

/** Returns whether a parameter does not occur in a type: a type cannot contain itself. */
function isFreeOf(bindings: Mutable, param: Type & { kind: "param" }, type: Type): boolean {
  if (type.kind === "param") {
    if (type.name === param.name) return false;
    const bound = bindings.get(type.name);
    return bound === undefined || isFreeOf(bindings, param, bound);
  }
  return parametersOf(type).every((each) => isFreeOf(bindings, param, each));
}

function isLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "param") return true;
  if (isDyn(b) || b.kind === "param") return false;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "type":
      return true;
    case "opaque":
    case "list":
    case "map": {
      const [mine, others] = [parametersOf(a), parametersOf(b)];
      return (
        nameOf(a) === nameOf(b) &&
        mine.length === others.length &&
        mine.every((each, index) => isLessSpecific(each, others[index] as Type))
      );
    }
    default:
      return sameType(a, b);
  }
}

/** Replaces the parameters of a signature by new ones. */
export function instantiate(types: readonly Type[], newParam: () => Type): readonly Type[] {
  const fresh = new Map<string, Type>();
  const replace = (type: Type): void => {
    if (type.kind === "param" && !fresh.has(type.name)) fresh.set(type.name, newParam());
    if (type.kind === "list") replace(type.of);
    if (type.kind === "map") for (const each of [type.key, type.value]) replace(each);
    if (type.kind === "opaque") type.params.forEach(replace);
    if (type.kind === "type" && type.of !== undefined) replace(type.of);
  };
  types.forEach(replace);
  return fresh.size === 0 ? types : types.map((type) => substitute(fresh, type, false));
}

/**
 * Returns the types that a loop gives to its first variable and to its second; undefined for what is no range.
 * A loop with two variables counts the elements of a list.
 */
export function elementTypes(type: Type, isPair: boolean): readonly [Type, Type] | undefined {
  if (type.kind === "list") return [isPair ? intType : type.of, type.of];
  if (type.kind === "map") return [type.key, type.value];
  return isDynOrError(type) || type.kind === "param" ? [dynType, dynType] : undefined;
}
