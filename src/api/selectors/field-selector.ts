import { compareText, getOwn, isObject } from "../../base/json/value.ts";
import { SelectorError } from "./error.ts";

/** What a selector asks of one field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Which objects a field selector is about. */
export interface FieldFilter<T> {
  readonly requirements: readonly FieldRequirement[];
  /** The selector in one spelling: equal texts let the same objects pass. */
  readonly text: string;
  matches(object: T): boolean;
  /** The one value a field must have, if the selector asks for one: a key to look objects up by. */
  exact(field: string): string | undefined;
}

/** The fields of a kind that selectors may ask for, besides its name and namespace. */
export interface SelectableFields<T> {
  readonly selectableFields?: readonly string[];
  /** Of a field with several values, one has to match. */
  selectableField?(object: T, field: string): string | readonly string[];
}

/** `spec.nodeName=a,status.phase!=Running` for objects of one kind. */
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

/** The terms between commas; a backslash takes a comma's meaning away. */
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
