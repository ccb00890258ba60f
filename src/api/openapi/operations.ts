// The operations of each resource: one entry per path and method, independent of the OpenAPI version.

import type { SchemaType } from "../schema/model.ts";
import { type GroupVersionKind, schemaOf } from "../schema/registry.ts";
import type { Resource, Subresource, Verb } from "../schema/resource.ts";
import { metaPrefix, patchName } from "./definitions.ts";

export interface Operation {
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  readonly action: Action;
  readonly gvk: GroupVersionKind;
  readonly id: string;
  readonly query: readonly Parameter[];
  /** The type of the request body. */
  readonly body?: string;
  /** The type of the response; absent for streams and text. */
  readonly answer?: string;
}

type Action = Exclude<Verb, "create" | "update" | "watch"> | "post" | "put" | "connect";

export interface Parameter {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer";
}

export interface Path {
  readonly path: string;
  /** The path parameters. */
  readonly names: readonly string[];
  readonly operations: readonly Operation[];
}

/** The name of a type in definitions; custom resources have names of their own. */
export type NameOf = (gvk: GroupVersionKind) => string;

export function pathsOf(resource: Resource, nameOf: NameOf): Path[] {
  const { group, version, plural, namespaced } = resource;
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scoped = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const names = namespaced ? ["namespace"] : [];
  const context: Context = { resource, nameOf, scope: namespaced ? "Namespaced" : "" };

  const paths: Path[] = [
    { path: scoped, names, operations: operationsFor(collection, resource, context) },
    {
      path: `${scoped}/{name}`,
      names: ["name", ...names],
      operations: operationsFor(single, resource, context),
    },
    ...resource.subresources.map((subresource) => ({
      path: `${scoped}/{name}/${subresource.name}`,
      names: ["name", ...names],
      operations: operationsOf(subresource, context),
    })),
  ];
  if (namespaced) {
    const everywhere = { ...context, scope: "", suffix: "ForAllNamespaces" };
    paths.push({
      path: `${root}/${plural}`,
      names: [],
      operations: operationsFor({ list: collection.list }, resource, everywhere),
    });
  }
  return paths.filter(({ operations }) => operations.length > 0);
}

interface Context {
  readonly resource: Resource;
  readonly nameOf: NameOf;
  readonly scope: string;
  readonly suffix?: string;
}

interface VerbForm {
  readonly method: Operation["method"];
  readonly action: Action;
  /** The kinds whose fields are query parameters. */
  readonly options: readonly string[];
  readonly body?: "kind" | "patch" | "options";
  readonly answer: "kind" | "list" | "status";
}

type Verbs = Partial<Record<Verb, VerbForm>>;

const collection = {
  list: { method: "get", action: "list", options: ["ListOptions"], answer: "list" },
  create: {
    method: "post",
    action: "post",
    options: ["CreateOptions"],
    body: "kind",
    answer: "kind",
  },
  deletecollection: {
    method: "delete",
    action: "deletecollection",
    options: ["ListOptions", "DeleteOptions"],
    body: "options",
    answer: "status",
  },
} as const satisfies Verbs;

const single: Verbs = {
  get: { method: "get", action: "get", options: [], answer: "kind" },
  update: {
    method: "put",
    action: "put",
    options: ["UpdateOptions"],
    body: "kind",
    answer: "kind",
  },
  patch: {
    method: "patch",
    action: "patch",
    options: ["PatchOptions"],
    body: "patch",
    answer: "kind",
  },
  delete: {
    method: "delete",
    action: "delete",
    options: ["DeleteOptions"],
    body: "options",
    answer: "status",
  },
};

function operationsFor(
  verbs: Verbs,
  target: Resource | Subresource,
  context: Context,
): Operation[] {
  const { nameOf, scope, suffix = "" } = context;
  const gvk = { group: target.group, kind: target.kind, version: target.version };
  const sub = target === context.resource ? "" : capital((target as Subresource).name);
  return target.verbs.flatMap((verb) => {
    const form = verbs[verb];
    if (form === undefined) return [];
    return {
      method: form.method,
      action: form.action,
      gvk,
      id: `${words[form.action]}${groupWord(context.resource)}${scope}${context.resource.kind}${sub}${suffix}`,
      query: form.options.flatMap(queryOf),
      ...(form.body === undefined ? {} : { body: bodies[form.body] ?? nameOf(gvk) }),
      answer:
        form.answer === "status"
          ? `${metaPrefix}.Status`
          : nameOf(form.answer === "list" ? { ...gvk, kind: `${gvk.kind}List` } : gvk),
    };
  });
}

const bodies: Readonly<Record<string, string>> = {
  patch: patchName,
  options: `${metaPrefix}.DeleteOptions`,
};

/** The operations of a subresource; kinds of options become query parameters, with a stream as response. */
function operationsOf(subresource: Subresource, context: Context): Operation[] {
  const streams = subresource.kind.endsWith("Options") || subresource.name === "log";
  if (!streams) {
    const posted: VerbForm = { ...collection.create, options: ["CreateOptions"] };
    return operationsFor({ ...single, create: posted }, subresource, context);
  }
  const { group, version, kind } = subresource;
  const query = queryOf(subresource.name === "log" ? "PodLogOptions" : kind);
  return subresource.verbs.map((verb) => ({
    method: single[verb]?.method ?? "post",
    action: subresource.name === "log" ? "get" : "connect",
    gvk: { group, version, kind },
    id: `connect${capital(verb)}${groupWord(context.resource)}${context.scope}${context.resource.kind}${capital(subresource.name)}`,
    query,
  }));
}

const words: Readonly<Record<Action, string>> = {
  list: "list",
  post: "create",
  deletecollection: "deleteCollection",
  get: "read",
  put: "replace",
  patch: "patch",
  delete: "delete",
  connect: "connect",
};

/** The group in operation ids, without its public suffix: `CoreV1`, `AppsV1`, `RbacAuthorizationV1`. */
export function groupWord({ group, version }: { group: string; version: string }): string {
  const short = group === "" ? "core" : group.replace(/\.k8s\.io$/, "");
  return short.split(/[.-]/).map(capital).join("") + capital(version);
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

const queries = new Map<string, readonly Parameter[]>();

/** The query parameters of a kind of options: its scalar fields. */
function queryOf(kind: string): readonly Parameter[] {
  const known = queries.get(kind);
  if (known !== undefined) return known;
  const fields = [...(schemaOf({ group: "", version: "v1", kind })?.fields ?? [])];
  const parameters = fields.flatMap(([name, { schema, number }]) => {
    const type = parameterTypes[(schema.items ?? schema).type];
    return type === undefined || number === undefined ? [] : [{ name, type }];
  });
  queries.set(kind, parameters);
  return parameters;
}

const parameterTypes: Readonly<Partial<Record<SchemaType, Parameter["type"]>>> = {
  string: "string",
  time: "string",
  boolean: "boolean",
  int32: "integer",
  int64: "integer",
};
