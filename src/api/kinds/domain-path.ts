import type { FieldError } from "../fields/field-error.ts";
import { invalid, required } from "../fields/field-errors.ts";
import { dnsSubdomain } from "../fields/names.ts";
import { named } from "./checks.ts";

const pathCharacters = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Checks a domain with a path, `example.com/name`, as controllers call themselves. */
export function domainPathErrors(field: string, text: string): FieldError[] {
  if (text === "") return [required(field)];
  const [, domain, path] = /^([^/]+)\/(.+)$/s.exec(text) ?? [];
  if (domain === undefined || path === undefined) {
    const detail = 'must be a domain-prefixed path (such as "acme.io/foo")';
    return [invalid(field, text, detail)];
  }
  const isPath = new RegExp(`^${pathCharacters}$`).test(path);
  const detail = `Invalid path (regex used for validation is '${pathCharacters}')`;
  return [...named(field, domain, dnsSubdomain), ...(isPath ? [] : [invalid(field, path, detail)])];
}
