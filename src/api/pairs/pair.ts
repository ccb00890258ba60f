// A pair: a singular field and the list that it grew into, such as podIP and podIPs, clusterIP and
// clusterIPs, apiVIP and apiVIPs. Clients of three ages write such objects: those that know only the
// singular, those that know the list but not all fields of its elements, and those that know everything. One
// mechanism syncs the two fields of every such pair, in both directions.
import type { FieldError } from "../fields/field-error.ts";
import { required } from "../fields/field-errors.ts";

export interface Pair {
  readonly singular: string;
  readonly plural: string;
  /**
   * The handling of a request whose two fields disagree. `refuse`: it is invalid. `listWins`: the singular is
   * overwritten, with a warning.
   */
  readonly mismatch: "refuse" | "listWins";
  /** Whether clearing the singular alone clears the list; otherwise the singular is written back. */
  readonly clearable?: boolean;
  /** Whether duplicates are kept for validation to refuse; otherwise they count once. */
  readonly keepsRepeats?: boolean;
  /** The key of elements that are objects rather than plain strings… */
  readonly key?: string;
  /** …and their further fields, which clients that do not know them drop. */
  readonly kept?: readonly string[];
  /** The canonical text of a value; one that does not parse is returned as it is, for validation to name. */
  canonical(text: string): string;
}

/** An object that holds both fields of a pair. */
export type PairHolder = Record<string, unknown>;

export interface PairContext {
  /** The field path of the holder, for errors: `status`, `subsets[0].addresses[1]`. */
  readonly path: string;
  /** The stored object, on an update. */
  readonly old?: PairHolder;
  /**
   * Whether the request is a patch, in which an unchanged field counts as not given, since it was carried
   * over.
   */
  readonly isPatch?: boolean;
  /**
   * The meaning of a field that the stored object has and the request lacks: `kept` if the client does not
   * know it (the default), or `removed` on purpose.
   */
  readonly absent?: "kept" | "removed";
}

export interface PairOutcome {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

type Element = string | PairHolder;

/** Syncs the two fields of a request, in place. */
export function reconcilePair(holder: PairHolder, pair: Pair, context: PairContext): PairOutcome {
  const nameless = namelessErrors(holder, pair, context.path);
  if (nameless.length > 0) return { errors: nameless, warnings: [] };
  const singular = singularOf(holder, pair);
  const isListGiven = holder[pair.plural] !== undefined || context.absent === "removed";
  const list = listOf(holder, pair);
  const oldList = context.old === undefined ? [] : listOf(context.old, pair);
  const oldSingular = oldList.length > 0 ? valueOf(oldList[0], pair) : "";

  if (!isListGiven) {
    write(holder, pair, singular === "" ? [] : moveFirst(oldList, singular, pair));
    return agreed;
  }
  const kept = keepDropped(list, context.absent === "removed" ? [] : oldList, pair);
  const first = valueOf(kept[0], pair);
  if (singular === first) {
    write(holder, pair, kept);
    return agreed;
  }

  const isUpdate = context.old !== undefined;
  const singularChanged = singular !== oldSingular;
  const listChanged = !sameValues(list, oldList, pair);
  if (isUpdate && singularChanged && !listChanged) {
    const cleared = singular === "" && pair.clearable === true;
    write(holder, pair, singular === "" ? (cleared ? [] : kept) : moveFirst(kept, singular, pair));
    return agreed;
  }
  if (kept.length === 0 && singular !== "") {
    // An explicitly empty list beside a value drops the other elements.
    write(holder, pair, [elementOf(singular, pair)]);
    return agreed;
  }
  if (singular === "" || (context.isPatch === true && !singularChanged)) {
    write(holder, pair, kept);
    return agreed;
  }
  if (pair.mismatch === "listWins") {
    write(holder, pair, kept);
    return { errors: [], warnings: [overruled(singular, kept, pair)] };
  }
  return {
    errors: [
      {
        type: "FieldValueInvalid",
        field: `${context.path}.${pair.singular}`,
        value: singular,
        detail: `must equal ${pair.plural}[0], which is ${JSON.stringify(first)}`,
      },
    ],
    warnings: [],
  };
}

/** Completes the list from the singular of old objects, and the singular from the list, in responses. */
export function completePair(holder: PairHolder, pair: Pair): void {
  const list = listOf(holder, pair);
  const singular = singularOf(holder, pair);
  if (list.length === 0 && singular === "") return;
  write(holder, pair, list.length > 0 ? list : [elementOf(singular, pair)]);
}

/** The values of a pair's list, in order. */
export function valuesOf(holder: PairHolder, pair: Pair): string[] {
  return listOf(holder, pair).map((element) => valueOf(element, pair));
}

const agreed: PairOutcome = { errors: [], warnings: [] };

function overruled(singular: string, list: readonly Element[], pair: Pair): string {
  const values = list.map((element) => valueOf(element, pair)).join(", ");
  return `${pair.singular} (${singular}) and ${pair.plural} (${values}) were both set and differed; ${pair.plural} takes precedence`;
}

function write(holder: PairHolder, pair: Pair, list: readonly Element[]): void {
  if (list.length === 0) {
    delete holder[pair.singular];
    delete holder[pair.plural];
    return;
  }
  holder[pair.singular] = valueOf(list[0], pair);
  holder[pair.plural] = list;
}

function singularOf(holder: PairHolder, pair: Pair): string {
  const value = holder[pair.singular];
  return typeof value === "string" && value !== "" ? pair.canonical(value) : "";
}

/** The list, canonical and without duplicates; elements of the wrong shape are left for validation. */
function listOf(holder: PairHolder, pair: Pair): Element[] {
  const raw = holder[pair.plural];
  if (!Array.isArray(raw)) return [];
  const seen = new Set<string>();
  const list: Element[] = [];
  for (const item of raw as unknown[]) {
    const element = normalise(item, pair);
    if (element === undefined) continue;
    const value = valueOf(element, pair);
    if (seen.has(value) && pair.keepsRepeats !== true) continue;
    seen.add(value);
    list.push(element);
  }
  return list;
}

/** The errors of elements without their key: nobody could tell what their other fields belong to. */
function namelessErrors(holder: PairHolder, pair: Pair, path: string): FieldError[] {
  const { key, plural } = pair;
  const raw = holder[plural];
  if (key === undefined || !Array.isArray(raw)) return [];
  return (raw as unknown[]).flatMap((item, index) =>
    normalise(item, pair) === undefined ? [required(`${path}.${plural}[${index}].${key}`)] : [],
  );
}

function normalise(item: unknown, pair: Pair): Element | undefined {
  if (pair.key === undefined) return typeof item === "string" ? pair.canonical(item) : undefined;
  if (typeof item !== "object" || item === null) return undefined;
  const value = (item as PairHolder)[pair.key];
  if (typeof value !== "string") return undefined;
  return { ...item, [pair.key]: pair.canonical(value) };
}

function valueOf(element: Element | undefined, pair: Pair): string {
  if (element === undefined) return "";
  return typeof element === "string" ? element : String(element[pair.key ?? ""]);
}

function elementOf(value: string, pair: Pair): Element {
  return pair.key === undefined ? value : { [pair.key]: value };
}

function sameValues(one: readonly Element[], other: readonly Element[], pair: Pair): boolean {
  return (
    one.length === other.length &&
    one.every((element, index) => valueOf(element, pair) === valueOf(other[index], pair))
  );
}

/**
 * Moves a value to the front of a list. An element that has it already comes first, and nothing is lost; a
 * new value replaces the first.
 */
function moveFirst(list: readonly Element[], value: string, pair: Pair): Element[] {
  const same = list.find((element) => valueOf(element, pair) === value);
  if (same === undefined) return [elementOf(value, pair), ...list.slice(1)];
  return [same, ...list.filter((element) => element !== same)];
}

/** Restores fields that a client dropped because it does not know them; null and empty values remove them. */
function keepDropped(
  list: readonly Element[],
  oldList: readonly Element[],
  pair: Pair,
): readonly Element[] {
  if (pair.kept === undefined) return list;
  const old = new Map(oldList.map((element) => [valueOf(element, pair), element]));
  return list.map((element) => {
    if (typeof element === "string") return element;
    const stored = old.get(valueOf(element, pair));
    const result: PairHolder = { ...element };
    for (const field of pair.kept ?? []) {
      const given = result[field];
      if (given === undefined && typeof stored === "object" && stored[field] !== undefined) {
        result[field] = stored[field];
      } else if (given === null || isEmptyObject(given)) {
        delete result[field];
      }
    }
    return result;
  });
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
