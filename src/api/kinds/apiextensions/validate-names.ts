import type { FieldError } from "../../fields/field-error.ts";
import { invalid, required } from "../../fields/field-errors.ts";
import { dnsSubdomain, type NameRule, serviceName } from "../../fields/names.ts";
import type { CustomResourceDefinitionSpec } from "../../types/apiextensions.ts";
import { each, named, presentName } from "../checks.ts";

export function groupErrors({ group }: CustomResourceDefinitionSpec): FieldError[] {
  if (!group) return [required("spec.group")];
  const detail = "should be a domain with at least one dot";
  return [
    ...named("spec.group", group, dnsSubdomain),
    ...(group.includes(".") ? [] : [invalid("spec.group", group, detail)]),
  ];
}

export function namesErrors({ names }: CustomResourceDefinitionSpec): FieldError[] {
  const { kind, listKind } = names;
  const path = "spec.names";
  const same = "kind and listKind may not be the same";
  return [
    ...presentName(`${path}.plural`, names.plural, serviceName),
    ...presentName(`${path}.singular`, names.singular, serviceName),
    ...presentName(`${path}.kind`, kind, kindName),
    ...each(names.shortNames, `${path}.shortNames`, (name, field) =>
      named(field, name, serviceName),
    ),
    ...presentName(`${path}.listKind`, listKind, kindName),
    ...(kind && kind === listKind ? [invalid(`${path}.listKind`, listKind, same)] : []),
    ...each(names.categories, `${path}.categories`, (name, field) =>
      named(field, name, serviceName),
    ),
  ];
}

const kindName: NameRule = (text) =>
  serviceName(text.toLowerCase()).map(
    (problem) => `may have mixed case, but should otherwise match: ${problem}`,
  );
