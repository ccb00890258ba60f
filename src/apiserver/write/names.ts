// Names the server makes up, and which names it accepts.
import { randomInt } from "node:crypto";
import type { FieldError } from "../../api/kinds/kind.ts";

/** No vowels, so that no words come out; no 0, 1, 3, which are easily misread. */
const letters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maximumBase = 63 - suffixLength;

export function generateName(base: string): string {
  let suffix = "";
  for (let index = 0; index < suffixLength; index++) suffix += letters[randomInt(letters.length)];
  return base.slice(0, maximumBase) + suffix;
}

export type NameRule = (name: string) => string | undefined;

const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

export const dnsSubdomain: NameRule = (name) => {
  if (name.length > 253) return "must be no more than 253 characters";
  if (subdomain.test(name)) return undefined;
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
};

export const dnsLabel: NameRule = (name) => {
  if (name.length > 63) return "must be no more than 63 characters";
  if (label.test(name)) return undefined;
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
};

/** Anything that can stand in a path. */
export const pathSegment: NameRule = (name) => {
  if (name === "." || name === "..") return `may not be '${name}'`;
  if (name.includes("/")) return "may not contain '/'";
  return name.includes("%") ? "may not contain '%'" : undefined;
};

const rules: Readonly<Record<string, NameRule>> = {
  "core/namespaces": dnsLabel,
  "core/services": dnsLabel,
  "rbac.authorization.k8s.io/roles": pathSegment,
  "rbac.authorization.k8s.io/rolebindings": pathSegment,
  "rbac.authorization.k8s.io/clusterroles": pathSegment,
  "rbac.authorization.k8s.io/clusterrolebindings": pathSegment,
  "networking.k8s.io/ipaddresses": pathSegment,
};

export function nameErrors(collection: string, name: string): FieldError[] {
  if (name === "") {
    return [
      {
        type: "FieldValueRequired",
        field: "metadata.name",
        detail: "name or generateName is required",
      },
    ];
  }
  const detail = (rules[collection] ?? dnsSubdomain)(name);
  if (detail === undefined) return [];
  return [{ type: "FieldValueInvalid", field: "metadata.name", value: name, detail }];
}
