// Prevents privilege escalation: whoever writes a role must hold all its permissions, or may `escalate`;
// whoever writes a binding must hold all permissions of its role, or may `bind` it.

import { sameMeaning } from "../../../api/kinds/equality.ts";
import type { ClusterRole, RoleBinding } from "../../../api/types/rbac.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Admission, Attributes, User } from "../access.ts";
import { forbidden, notFound } from "../errors.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";
import type { RbacAuthorizer } from "./rbac.ts";
import { missingRights } from "./rbac-cover.ts";
import type { PolicyRule } from "./rbac-rule.ts";

const group = "rbac.authorization.k8s.io";
const superusers = "system:masters";
/** The rules that an aggregated role may come to have: any. */
const everything: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

interface Write {
  readonly user: User;
  readonly attributes: Attributes;
  readonly old: SecurityObject | undefined;
  readonly object: SecurityObject;
}

export function escalationCheck(rbac: RbacAuthorizer, objects: ObjectReader): Admission {
  const holds = ({ user, attributes }: Write, rules: readonly PolicyRule[]): string | undefined => {
    const owned = rbac.rulesFor(user, attributes.namespace ?? "");
    const missing = missingRights(owned, rules);
    if (missing.length === 0) return undefined;
    const who = `user ${JSON.stringify(user.name)} (groups=${quoted(user.groups)})`;
    const what = "is attempting to grant RBAC permissions not currently held";
    return `${who} ${what}:\n${missing.join("\n")}`;
  };

  const checkRole = (write: Write): void => {
    const { user, attributes, old, object } = write;
    const escalate = { ...attributes, verb: "escalate" };
    if (rbac.authorize(user, escalate).allowed) return;
    const role = object as ClusterRole;
    const refuse = (why: string) =>
      forbidden({ group, name: attributes.resource }, role.metadata.name, why);
    const lacking = holds(write, role.rules ?? []);
    if (lacking !== undefined) throw refuse(lacking);
    if (isAggregated(role) || isAggregated(old)) {
      if (holds(write, everything) !== undefined) {
        throw refuse("must have cluster-admin privileges to use the aggregationRule");
      }
    }
  };

  const checkBinding = (write: Write): void => {
    const { user, attributes, object } = write;
    const { roleRef, metadata } = object as RoleBinding;
    const isCluster = roleRef.kind === "ClusterRole";
    const about = {
      group,
      version: "*",
      resource: isCluster ? "clusterroles" : "roles",
      name: roleRef.name,
      path: "",
      ...defined({ namespace: attributes.namespace }),
    };
    if (rbac.authorize(user, { ...about, verb: "bind" }).allowed) return;
    const role = objects.get(about.resource, isCluster ? "" : (about.namespace ?? ""), about.name);
    if (role === undefined) throw notFound({ group, name: about.resource }, about.name);
    const lacking = holds(write, (role as { rules?: readonly PolicyRule[] }).rules ?? []);
    if (lacking === undefined) return;
    throw forbidden({ group, name: attributes.resource }, metadata.name, lacking);
  };

  const checks: Readonly<Record<string, (write: Write) => void>> = {
    roles: checkRole,
    clusterroles: checkRole,
    rolebindings: checkBinding,
    clusterrolebindings: checkBinding,
  };

  return {
    admit(user, attributes, { old, new: object }) {
      if (attributes.group !== group || object === undefined) return;
      if (user.groups.includes(superusers)) return;
      if (old !== undefined && isOnlyCollected(old, object)) return;
      checks[attributes.resource]?.({ user, attributes, old, object });
    },
  };
}

function isAggregated(role: SecurityObject | undefined): boolean {
  const rule = (role as Partial<ClusterRole> | undefined)?.aggregationRule;
  return (rule?.clusterRoleSelectors ?? []).length > 0;
}

/** Returns whether only the garbage collector's fields differ: owners and finalizers. */
function isOnlyCollected(old: SecurityObject, object: SecurityObject): boolean {
  const rest = ({ metadata, ...fields }: SecurityObject) => ({
    ...fields,
    metadata: { ...metadata, ownerReferences: [], finalizers: [], managedFields: [] },
  });
  return sameMeaning(rest(old), rest(object));
}

/** Formats a list as Go does. */
function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
}
