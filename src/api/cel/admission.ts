// The types of the variables that expressions of policies and match conditions have.

import { authorizerTypes } from "./authorizer.ts";
import { type Environment, extend } from "./environment.ts";
import { kubernetes } from "./kubernetes.ts";
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  type ObjectType,
  stringType,
  type Type,
  timestampType,
} from "./types.ts";

function object(name: string, fields: Readonly<Record<string, Type>>): ObjectType {
  return { kind: "object", name, fields: new Map(Object.entries(fields)) };
}

const kind = object("kubernetes.GroupVersionKind", {
  group: stringType,
  version: stringType,
  kind: stringType,
});
const resource = object("kubernetes.GroupVersionResource", {
  group: stringType,
  version: stringType,
  resource: stringType,
});
const userInfo = object("kubernetes.UserInfo", {
  username: stringType,
  uid: stringType,
  groups: listType(stringType),
  extra: mapType(stringType, listType(stringType)),
});

export const requestType = object("kubernetes.AdmissionRequest", {
  kind,
  resource,
  subResource: stringType,
  requestKind: kind,
  requestResource: resource,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo,
  dryRun: boolType,
  options: dynType,
});

const labels = mapType(stringType, stringType);

export const namespaceType = object("kubernetes.Namespace", {
  metadata: object("kubernetes.NamespaceMetadata", {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels,
    annotations: labels,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: listType(stringType),
  }),
  spec: object("kubernetes.NamespaceSpec", { finalizers: listType(stringType) }),
  status: object("kubernetes.NamespaceStatus", { phase: stringType }),
});

export interface AdmissionVariables {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Says that the expression may know the namespace of the object. */
  readonly hasNamespace: boolean;
  /** The type of the objects, where it is known. */
  readonly object?: Type;
  readonly params?: Type;
}

/** Makes the environment of expressions about a request. */
export function admissionEnvironment(options: AdmissionVariables): Environment {
  const { object: shape = dynType, params = dynType } = options;
  const { authorizer = dynType, resourceCheck = dynType } = authorizerTypes;
  return extend(kubernetes, {
    object: shape,
    oldObject: shape,
    request: requestType,
    ...(options.hasNamespace ? { namespaceObject: namespaceType } : {}),
    ...(options.hasParams ? { params } : {}),
    ...(options.hasAuthorizer ? { authorizer, "authorizer.requestResource": resourceCheck } : {}),
  });
}

/** Returns the type of the variable `variables`, whose fields are those defined so far. */
export function variablesType(fields: ReadonlyMap<string, Type>): ObjectType {
  return { kind: "object", name: "kubernetes.variables", fields };
}
