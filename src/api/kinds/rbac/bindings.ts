import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import { dnsSubdomain, pathSegment } from "../../fields/names.ts";
import type { ClusterRoleBinding, RoleBinding, RoleRef, Subject } from "../../types/rbac.ts";
import { each, presentName } from "../checks.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind, TableDefinition } from "../kind.ts";
import { ageColumn, nameColumn, table, text, wide } from "../table.ts";

const group = "rbac.authorization.k8s.io";

type Binding = RoleBinding | ClusterRoleBinding;

export const roleBinding: Kind<RoleBinding> = binding(["Role", "ClusterRole"], {
  isNamespaced: true,
});
export const clusterRoleBinding: Kind<ClusterRoleBinding> = binding(["ClusterRole"], {
  isNamespaced: false,
});

/** Makes the rules of a kind of binding: the two differ in the roles and subjects they may name. */
function binding<T extends Binding>(
  kinds: readonly string[],
  { isNamespaced }: { isNamespaced: boolean },
): Kind<T> {
  return {
    name: pathSegment,
    default(object) {
      if (object.roleRef !== undefined) object.roleRef.apiGroup ||= group;
      for (const subject of object.subjects ?? []) {
        if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group;
      }
    },
    validate: ({ roleRef, subjects }) => [
      ...roleErrors(roleRef ?? {}, kinds),
      ...each(subjects, "subjects", (subject, path) => subjectErrors(subject, path, isNamespaced)),
    ],
    validateUpdate: ({ roleRef }, old) =>
      sameMeaning(roleRef, old.roleRef)
        ? []
        : [invalid("roleRef", roleRef, "cannot change roleRef")],
    table: bindingTable<T>(),
  };
}

function roleErrors(role: Partial<RoleRef>, kinds: readonly string[]): FieldError[] {
  const { apiGroup = "", kind = "", name } = role;
  return [
    ...(apiGroup === group ? [] : [notSupported("roleRef.apiGroup", apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [notSupported("roleRef.kind", kind, kinds)]),
    ...presentName("roleRef.name", name, pathSegment),
  ];
}

function subjectErrors(subject: Subject, path: string, isNamespaced: boolean): FieldError[] {
  const { kind, name, namespace, apiGroup = "" } = subject;
  const groupOf = (expected: string) =>
    apiGroup === expected ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [expected])];
  const missing = name ? [] : [required(`${path}.name`)];
  if (kind === "User" || kind === "Group") return [...missing, ...groupOf(group)];
  if (kind !== "ServiceAccount") {
    const kinds = ["ServiceAccount", "User", "Group"];
    return [...missing, notSupported(`${path}.kind`, kind, kinds)];
  }
  return [
    ...presentName(`${path}.name`, name, dnsSubdomain),
    ...groupOf(""),
    ...(isNamespaced || namespace ? [] : [required(`${path}.namespace`)]),
  ];
}

function bindingTable<T extends Binding>(): TableDefinition<T> {
  const names = (kind: string) => (object: T) =>
    (object.subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace }) =>
        kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name,
      )
      .join(", ");
  return table<T>([
    nameColumn,
    text("Role", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
    ageColumn,
    wide(text("Users", names("User"))),
    wide(text("Groups", names("Group"))),
    wide(text("ServiceAccounts", names("ServiceAccount"))),
  ]);
}
