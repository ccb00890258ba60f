// Role-based access: roles and bindings are read from the cache and indexed by subject, anew only
// when one of them has changed.
import type { Attributes, Authorizer, Decision, User } from "../access.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";
import { covers, type PolicyRule } from "./rbac-rule.ts";

interface Role extends SecurityObject {
  readonly rules?: readonly PolicyRule[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Binding extends SecurityObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
}

/** The rules of a subject, by namespace; "" holds those that apply everywhere. */
type Grants = Map<string, PolicyRule[]>;

const superusers = "system:masters";
const resources = ["roles", "clusterroles", "rolebindings", "clusterrolebindings"];

export interface RbacAuthorizer extends Authorizer {
  authorize(user: User, attributes: Attributes): Decision;
  /** Returns all rules of the user in a namespace, for rules reviews and escalation checks. */
  rulesFor(user: User, namespace: string): readonly PolicyRule[];
}

export function rbac(objects: ObjectReader): RbacAuthorizer {
  let indexed = "";
  let index = new Map<string, Grants>();

  const current = (): Map<string, Grants> => {
    const version = resources.map((resource) => objects.version(resource)).join(" ");
    if (version !== indexed) {
      index = buildIndex(objects);
      indexed = version;
    }
    return index;
  };

  const grantsOf = function* (user: User, namespace: string): Iterable<PolicyRule> {
    const grants = current();
    for (const key of subjectKeys(user)) {
      const granted = grants.get(key);
      if (granted === undefined) continue;
      yield* granted.get("") ?? [];
      if (namespace !== "") yield* granted.get(namespace) ?? [];
    }
  };

  return {
    authorize(user, attributes) {
      // Superusers are always allowed: nobody can lock them out, not even by deleting every role.
      if (user.groups.includes(superusers)) return { allowed: true };
      for (const rule of grantsOf(user, attributes.namespace ?? "")) {
        if (covers(rule, attributes)) return { allowed: true };
      }
      return { allowed: false };
    },
    rulesFor: (user, namespace) => [...grantsOf(user, namespace)],
  };
}

function buildIndex(objects: ObjectReader): Map<string, Grants> {
  const index = new Map<string, Grants>();
  const grant = (binding: Binding, namespace: string): void => {
    const rules = rulesOf(objects, binding, namespace);
    for (const subject of binding.subjects ?? []) {
      const key = subjectKey(subject, namespace);
      const grants: Grants = index.get(key) ?? new Map<string, PolicyRule[]>();
      grants.set(namespace, [...(grants.get(namespace) ?? []), ...rules]);
      index.set(key, grants);
    }
  };
  for (const binding of objects.list("clusterrolebindings")) grant(binding, "");
  for (const binding of objects.list("rolebindings")) {
    grant(binding, binding.metadata?.namespace ?? "");
  }
  return index;
}

function rulesOf(
  objects: ObjectReader,
  binding: Binding,
  namespace: string,
): readonly PolicyRule[] {
  const { kind, name } = binding.roleRef ?? { kind: "", name: "" };
  const role: Role | undefined =
    kind === "ClusterRole"
      ? objects.get("clusterroles", "", name)
      : objects.get("roles", namespace, name);
  return role?.rules ?? [];
}

function subjectKey(subject: Subject, bindingNamespace: string): string {
  if (subject.kind !== "ServiceAccount") return `${subject.kind}/${subject.name}`;
  const namespace = subject.namespace ?? bindingNamespace;
  return `User/system:serviceaccount:${namespace}:${subject.name}`;
}

function subjectKeys(user: User): string[] {
  return [`User/${user.name}`, ...user.groups.map((group) => `Group/${group}`)];
}
