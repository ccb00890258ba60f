import { compareText, getOwn, isObject } from "../../base/json/value.ts";
import { SelectorError } from "./error.ts";

/** The requirement of a selector on one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A parsed field selector. */
export interface FieldFilter<T> {
  readonly requirements: readonly FieldRequirement[];
  /** The canonical text: selectors with equal texts match the same objects. */
  readonly text: string;
  matches(object: T): boolean;
  /** The one value that the selector requires of a field, if it does: a key for index lookups. */
  exact(field: string): string | undefined;
}

/** The fields of a kind that selectors may ask for, besides its name and namespace. */
export interface SelectableFields<T> {
  readonly selectableFields?: readonly string[];
  /** The value of a field; if there are several, one has to match. */
  selectableField?(object: T, field: string): string | readonly string[];
}

/** Parses a selector such as `spec.nodeName=a,status.phase!=Running` for objects of one kind. */
export function parseFieldSelector<T>(text: string, kind: SelectableFields<T>): FieldFilter<T> {
  const requirements = parseFieldRequirements(text);
  const tests = requirements.map((requirement) => compile(requirement, kind));
  return {
    requirements,
    text: requirements.map(format).toSorted(compareText).join(","),
    matches: (object) => tests.every((test) => test(object)),
    exact: (field) =>
      requirements.find((each) => each.field === field && each.operator === "=")?.value,
  };
}

function compile<T>(
  { field, operator, value }: FieldRequirement,
  kind: SelectableFields<T>,
): (object: T) => boolean {
  const read = reader(field, kind);
  const isWanted = operator === "=";
  return (object) => {
    const actual = read(object);
    const isEqual = typeof actual === "string" ? actual === value : actual.includes(value);
    return isEqual === isWanted;
  };
}

function reader<T>(
  field: string,
  kind: SelectableFields<T>,
): (object: T) => string | readonly string[] {
  if (field === "metadata.name") return (object) => metadataText(object, "name");
  if (field === "metadata.namespace") return (object) => metadataText(object, "namespace");
  if (kind.selectableFields?.includes(field) === true) {
    return (object) => kind.selectableField?.(object, field) ?? "";
  }
  throw new SelectorError(`field label not supported: ${field}`);
}

function metadataText(object: unknown, name: string): string {
  const metadata = isObject(object) ? getOwn(object, "metadata") : undefined;
  const value = isObject(metadata) ? getOwn(metadata, name) : undefined;
  return typeof value === "string" ? value : "";
}

function parseFieldRequirements(text: string): FieldRequirement[] {
  return splitTerms(text)
    .toSorted(compareText)
    .map((term): FieldRequirement => {
      const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
      if (field === undefined || value === undefined) {
        throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
      }
      return { field, operator: operator === "!=" ? "!=" : "=", value: unescape(value) };
    });
}

/** Splits a selector at commas that are not escaped by a backslash. */
function splitTerms(text: string): string[] {
  return text.match(/(?:\\.|[^\\,]|\\$)+/gs) ?? [];
}

function unescape(value: string): string {
  return value.replace(/\\(.?)|[,=]/gs, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${found}`);
    }
    if (escaped !== "" && "\\,=".includes(escaped)) return escaped;
    throw new SelectorError(`invalid field selector: invalid escape sequence: ${found}`);
  });
}

function format({ field, operator, value }: FieldRequirement): string {
  return `${field}${operator}${value.replace(/[\\,=]/g, "\\$&")}`;
}
