// Parses kubeconfig files, and combines several of them.

import { messageOf } from "../../../base/program/errors.ts";
import { Fields, KubeconfigError } from "./fields.ts";

export interface Kubeconfig {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Fields>;
  readonly users: ReadonlyMap<string, Fields>;
  readonly contexts: ReadonlyMap<string, Fields>;
}

export async function parseKubeconfig(file: string, text: string): Promise<Kubeconfig> {
  const fields = Fields.of({ file, path: "" }, await parseText(file, text));
  return {
    currentContext: fields.text("current-context"),
    clusters: named(fields, "clusters", "cluster"),
    users: named(fields, "users", "user"),
    contexts: named(fields, "contexts", "context"),
  };
}

/** Combines files; what an earlier one defines takes precedence. */
export function combine(configs: readonly Kubeconfig[]): Kubeconfig {
  const first = (part: "clusters" | "users" | "contexts") =>
    new Map(configs.toReversed().flatMap((config) => [...config[part]]));
  return {
    currentContext: configs.find((config) => config.currentContext)?.currentContext,
    clusters: first("clusters"),
    users: first("users"),
    contexts: first("contexts"),
  };
}

async function parseText(file: string, text: string): Promise<unknown> {
  try {
    if (text.trimStart().startsWith("{")) return JSON.parse(text) as unknown;
    const { parse } = await import("yaml");
    return parse(text) as unknown;
  } catch (cause) {
    throw new KubeconfigError(`Cannot use ${file}: ${messageOf(cause).trim()}`, { cause });
  }
}

function named(fields: Fields, list: string, inner: string): ReadonlyMap<string, Fields> {
  const found = new Map<string, Fields>();
  for (const element of fields.list(list)) {
    const name = element.required("name");
    if (!found.has(name)) found.set(name, element.fields(inner));
  }
  return found;
}
