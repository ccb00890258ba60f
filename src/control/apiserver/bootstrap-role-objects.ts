// The roles and bindings a cluster starts with, as objects.
import { aggregatedRules } from "../../api/kinds/rbac.ts";
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../../api/types/rbac.ts";
import type { BootstrapObject } from "./bootstrap-object.ts";
import { aggregationLabel, type DefaultRole } from "./security/default-role.ts";

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1`;

export function roleObjects(roles: readonly DefaultRole[]): BootstrapObject[] {
  const clusterRoles = aggregated(
    roles.filter((role) => role.namespace === undefined).map(clusterRole),
  );
  const local = roles.filter((role) => role.namespace !== undefined);
  return [
    ...clusterRoles.map((object) => served("clusterroles", object)),
    ...local.map((role) => served("roles", localRole(role))),
    ...roles
      .filter(isBound)
      .map((role) =>
        role.namespace === undefined
          ? served("clusterrolebindings", clusterRoleBinding(role))
          : served("rolebindings", roleBinding(role, role.namespace)),
      ),
  ];
}

/** Fills aggregated roles, round by round until nothing changes: they can be sources of others. */
function aggregated(roles: readonly ClusterRole[]): readonly ClusterRole[] {
  let known = roles;
  for (let round = 0; round < roles.length; round++) {
    const next = known.map((role) => {
      const rules = aggregatedRules(role, known);
      return rules === undefined ? role : { ...role, rules };
    });
    if (next.every((role, index) => role.rules?.length === known[index]?.rules?.length))
      return next;
    known = next;
  }
  return known;
}

function served(plural: string, object: BootstrapObject["object"]): BootstrapObject {
  return { group, version: "v1", plural, object };
}

function clusterRole(role: DefaultRole): ClusterRole {
  const { aggregates } = role;
  const selector = aggregates && { matchLabels: { [aggregationLabel(aggregates)]: "true" } };
  return {
    apiVersion,
    kind: "ClusterRole",
    metadata: { name: role.name, ...metadataOf(role) },
    ...(selector ? { aggregationRule: { clusterRoleSelectors: [selector] } } : {}),
    rules: rulesOf(role),
  };
}

function localRole(role: DefaultRole): Role {
  const { name, namespace = "" } = role;
  return {
    apiVersion,
    kind: "Role",
    metadata: { name, namespace, ...metadataOf(role) },
    rules: rulesOf(role),
  };
}

function rulesOf({ rules }: DefaultRole): NonNullable<ClusterRole["rules"]> {
  return structuredClone(rules) as NonNullable<ClusterRole["rules"]>;
}

function isBound({ groups = [], users = [], accounts = [] }: DefaultRole): boolean {
  return groups.length + users.length + accounts.length > 0;
}

function clusterRoleBinding(role: DefaultRole): ClusterRoleBinding {
  return {
    apiVersion,
    kind: "ClusterRoleBinding",
    metadata: { name: role.binding ?? role.name, ...metadataOf({}) },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: role.name },
    subjects: subjectsOf(role),
  };
}

function roleBinding(role: DefaultRole, namespace: string): RoleBinding {
  return {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name: role.binding ?? role.name, namespace, ...metadataOf({}) },
    roleRef: { apiGroup: group, kind: "Role", name: role.name },
    subjects: subjectsOf(role),
  };
}

function subjectsOf({ groups = [], users = [], accounts = [] }: DefaultRole) {
  return [
    ...groups.map((name) => ({ apiGroup: group, kind: "Group", name })),
    ...users.map((name) => ({ apiGroup: group, kind: "User", name })),
    ...accounts.map((account) => {
      const [namespace = "", name = ""] = account.split("/");
      return { kind: "ServiceAccount", namespace, name };
    }),
  ];
}

function metadataOf({ aggregateTo }: Pick<DefaultRole, "aggregateTo">) {
  return {
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...(aggregateTo === undefined ? {} : { [aggregationLabel(aggregateTo)]: "true" }),
    },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}
