// Delete options, from the body and the query.

import { defined } from "../../../base/json/defined.ts";
import { isObject } from "../../../base/json/value.ts";
import { badRequest, invalid } from "../errors.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { isTrue } from "../request-info.ts";
import { parseBody } from "./decode.ts";
import { parseDryRun } from "./options.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun: boolean;
}

const longestOptions = 64 * 1024;

export async function readDeleteOptions(exchange: Exchange): Promise<DeleteOptions> {
  const body = await readBody(exchange.request, longestOptions);
  const asked = fromQuery(exchange.info.query);
  // A dry run counts if either the body or the query asks for it.
  const given = body.length === 0 ? asked : { ...asked, ...fromBody(exchange, body) };
  const options = parseDeleteOptions(given);
  return { ...options, dryRun: options.dryRun || parseDeleteOptions(asked).dryRun };
}

interface Given {
  readonly gracePeriodSeconds?: unknown;
  readonly propagationPolicy?: unknown;
  readonly orphanDependents?: unknown;
  readonly preconditions?: unknown;
  readonly dryRun?: unknown;
}

function fromBody(exchange: Exchange, body: Buffer): Given {
  const value = parseBody(exchange, body);
  if (!isObject(value)) throw badRequest("Cannot read the delete options: they are not an object");
  return value;
}

function fromQuery(query: URLSearchParams): Given {
  const grace = query.get("gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  const orphan = query.get("orphanDependents");
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    ...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
    dryRun: query.getAll("dryRun"),
  };
}

const policies = ["Orphan", "Background", "Foreground"] as const;

export function parseDeleteOptions(given: Given): DeleteOptions {
  const grace = given.gracePeriodSeconds ?? undefined;
  const policy = given.propagationPolicy ?? "";
  const orphan = given.orphanDependents ?? undefined;
  if (grace !== undefined && !isSeconds(grace)) {
    throw refuse("gracePeriodSeconds", grace, "must be greater than or equal to 0");
  }
  const known = policies.find((each) => each === policy);
  if (policy !== "" && known === undefined) {
    const detail = 'supported values: "Background", "Foreground", "Orphan"';
    throw refuse("propagationPolicy", policy, detail);
  }
  if (orphan !== undefined && known !== undefined) {
    throw refuse("propagationPolicy", policy, "cannot be set together with orphanDependents");
  }
  const wished = orphan === undefined ? known : orphan === true ? "Orphan" : "Background";
  const dryRun = Array.isArray(given.dryRun) ? given.dryRun.map(String) : [];
  return {
    ...defined({ gracePeriodSeconds: grace, propagationPolicy: wished }),
    ...(isObject(given.preconditions) ? { preconditions: textFields(given.preconditions) } : {}),
    dryRun: parseDryRun(dryRun),
  };
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function textFields({ uid, resourceVersion }: Record<string, unknown>) {
  return {
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
  };
}

function refuse(field: string, value: unknown, detail: string) {
  return invalid({ group: "meta.k8s.io", name: "DeleteOptions" }, "", [
    { type: "FieldValueInvalid", field, value, detail },
  ]);
}
