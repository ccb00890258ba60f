// Questions to the authorizer: `authorizer.group("").resource("pods").check("create").allowed()`.
import { dnsLabel, dnsSubdomain } from "../fields/names.ts";
import type { Implementation, Library } from "./library/library.ts";
import { CelError, Opaque, type Value } from "./runtime/value.ts";
import { abstractType, type Type } from "./types.ts";

const prefix = "kubernetes.authorization.";

export const authorizerTypes: Readonly<Record<string, Type>> = {
  authorizer: abstractType(`${prefix}Authorizer`),
  pathCheck: abstractType(`${prefix}PathCheck`),
  groupCheck: abstractType(`${prefix}GroupCheck`),
  resourceCheck: abstractType(`${prefix}ResourceCheck`),
  decision: abstractType(`${prefix}Decision`),
};

/** The question of an expression. */
export interface AccessQuestion {
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string | undefined;
}

/** The authorizer, which answers at once; it throws `PendingDecision` when the answer takes time. */
export type AskAccess = (question: AccessQuestion) => AccessDecision;

/** A step of a question; its type says what may be asked next. */
class Check extends Opaque {
  override readonly typeName: string;
  readonly ask: AskAccess;
  readonly question: Omit<AccessQuestion, "verb">;

  constructor(type: string, ask: AskAccess, question: Omit<AccessQuestion, "verb">) {
    super();
    this.typeName = prefix + type;
    this.ask = ask;
    this.question = question;
  }

  override equals(other: Opaque): boolean {
    return this === other;
  }
}

class Decision extends Opaque {
  override readonly typeName = `${prefix}Decision`;
  readonly decision: AccessDecision;

  constructor(decision: AccessDecision) {
    super();
    this.decision = decision;
  }

  override equals(other: Opaque): boolean {
    return this === other;
  }
}

/** Makes the value of the variable `authorizer`. */
export function authorizerValue(ask: AskAccess): Value {
  return new Check("Authorizer", ask, {});
}

/** Makes the value of the variable `authorizer.requestResource`. */
export function resourceCheckValue(ask: AskAccess, question: Omit<AccessQuestion, "verb">): Value {
  return new Check("ResourceCheck", ask, question);
}

/** Makes a function that adds to a question. */
const adding =
  (type: string, field: keyof AccessQuestion, isRequired = false): Implementation =>
  (check, text) => {
    if (isRequired && (text as string).trim() === "")
      return new CelError(`${field} must not be empty`);
    const { ask, question } = check as Check;
    return new Check(type, ask, { ...question, [field]: text as string });
  };
const ask: Implementation = (check, verb) =>
  new Decision((check as Check).ask({ ...(check as Check).question, verb: verb as string }));
const told =
  (read: (decision: AccessDecision) => Value): Implementation =>
  (value) =>
    read((value as Decision).decision);

export const authorizer: Library = {
  path: { authorizer_path: ["authorizer.(string) pathCheck", adding("PathCheck", "path", true)] },
  group: { authorizer_group: ["authorizer.(string) groupCheck", adding("GroupCheck", "group")] },
  serviceAccount: {
    authorizer_serviceaccount: [
      "authorizer.(string, string) authorizer",
      (check, namespace, name) => {
        if (dnsSubdomain(name as string).length > 0)
          return new CelError("Invalid service account name");
        if (dnsLabel(namespace as string).length > 0) {
          return new CelError("Invalid service account namespace");
        }
        const serviceAccount = { namespace: namespace as string, name: name as string };
        return new Check("Authorizer", (check as Check).ask, { serviceAccount });
      },
    ],
  },
  resource: {
    groupcheck_resource: [
      "groupCheck.(string) resourceCheck",
      adding("ResourceCheck", "resource", true),
    ],
  },
  subresource: {
    resourcecheck_subresource: [
      "resourceCheck.(string) resourceCheck",
      adding("ResourceCheck", "subresource"),
    ],
  },
  namespace: {
    resourcecheck_namespace: [
      "resourceCheck.(string) resourceCheck",
      adding("ResourceCheck", "namespace"),
    ],
  },
  name: {
    resourcecheck_name: ["resourceCheck.(string) resourceCheck", adding("ResourceCheck", "name")],
  },
  fieldSelector: {
    authorizer_fieldselector: [
      "resourceCheck.(string) resourceCheck",
      adding("ResourceCheck", "fieldSelector"),
    ],
  },
  labelSelector: {
    authorizer_labelselector: [
      "resourceCheck.(string) resourceCheck",
      adding("ResourceCheck", "labelSelector"),
    ],
  },
  check: {
    pathcheck_check: ["pathCheck.(string) decision", ask],
    resourcecheck_check: ["resourceCheck.(string) decision", ask],
  },
  errored: { decision_errored: ["decision.() bool", told(({ error }) => error !== undefined)] },
  error: { decision_error: ["decision.() string", told(({ error }) => error ?? "")] },
  allowed: { decision_allowed: ["decision.() bool", told(({ allowed }) => allowed)] },
  reason: { decision_reason: ["decision.() string", told(({ reason }) => reason)] },
};
