// Conflicts of names: a definition must not use a name of another one or of a built-in resource.

import type { Resource } from "../../../api/schema/resource.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from "../../../api/types/apiextensions.ts";

/** Returns the conflict of a definition's names; `undefined` when there is none. */
export function nameConflict(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  builtin: readonly Resource[],
): string | undefined {
  const { group, names } = definition.spec;
  const taken = new Set([
    ...others
      .filter((other) => other.spec.group === group && isAccepted(other))
      .flatMap((other) => allNames(other.spec.names)),
    ...builtin
      .filter((resource) => resource.group === group)
      .flatMap(({ plural, singular, shortNames, kind }) => [plural, singular, ...shortNames, kind]),
  ]);
  const wanted = allNames(names).find((name) => taken.has(name));
  return wanted === undefined ? undefined : `${JSON.stringify(wanted)} is already in use`;
}

function isAccepted({ status }: CustomResourceDefinition): boolean {
  const { conditions = [] } = status ?? {};
  return conditions.some((each) => each.type === "NamesAccepted" && each.status === "True");
}

function allNames(names: CustomResourceDefinitionNames): string[] {
  const { plural, singular, shortNames = [], kind, listKind } = names;
  return [plural, singular ?? "", ...shortNames, kind, listKind ?? ""].filter(
    (name) => name !== "",
  );
}
