// Parses the target of a request to the fake API from its path.

import { getOwn, isObject } from "../../../base/json/value.ts";
import { type ApiObject, keyOf } from "../objects.ts";

export interface Target {
  /** The group, version and resource: `/apis/apps/v1/deployments`. */
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

export function parseTarget(path: string): Target {
  const { pathname, searchParams: query } = new URL(path, "http://fake");
  const parts = pathname.split("/").slice(1).map(decodeURIComponent);
  const [base, rest] = parts[0] === "api" ? [2, parts.slice(2)] : [3, parts.slice(3)];
  const prefix = `/${parts.slice(0, base).join("/")}`;
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2 && !isOwnSubresource(rest[2]);
  const [resource = "", name, subresource] = isNamespaced ? rest.slice(2) : rest;
  const namespace = isNamespaced ? rest[1] : undefined;
  return { collection: `${prefix}/${resource}`, namespace, name, subresource, query };
}

export function keyIn({ namespace, name = "" }: Target): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Whether an object is selected; supports equality and existence only: `a=b`, `a!=b`, `a`, `!a`. */
export function isSelected(object: ApiObject, { namespace, query }: Target): boolean {
  if (namespace !== undefined && !keyOf(object).startsWith(`${namespace}/`)) return false;
  const labels = object.metadata.labels ?? {};
  return (
    terms(query.get("labelSelector")).every((term) => holds(term, (label) => labels[label])) &&
    terms(query.get("fieldSelector")).every((term) => holds(term, (path) => fieldOf(object, path)))
  );
}

function isOwnSubresource(part: string | undefined): boolean {
  return part === "status" || part === "finalize";
}

function terms(selector: string | null): string[] {
  return selector ? selector.split(/(?<!\\),/) : [];
}

function holds(term: string, valueOf: (name: string) => string | undefined): boolean {
  const [, isNot, name = "", operator, value = ""] =
    /^(!?)([^!=]+)(?:(!=|==?)(.*))?$/s.exec(term) ?? [];
  const found = valueOf(name);
  if (operator === undefined) return (found !== undefined) === (isNot === "");
  const isEqual = (found ?? "") === value.replaceAll(/\\(.)/gs, "$1");
  return isEqual === (operator !== "!=");
}

function fieldOf(object: ApiObject, path: string): string | undefined {
  let value: unknown = object;
  for (const step of path.split(".")) value = isObject(value) ? getOwn(value, step) : undefined;
  return value === undefined
    ? undefined
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
}
