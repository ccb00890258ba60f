// A node's report on itself, as an annotation of its Node object.

import { Address } from "../../../base/net/address.ts";
import type { Holding, NodeReport } from "./source.ts";

export const reportAnnotation = "tandem.internal/vip";

export function encodeReport(report: NodeReport): string {
  return JSON.stringify({
    takesPart: report.takesPart.map(String),
    holds: report.holds.map(({ vip, since }) => ({ vip: vip.toString(), since })),
    failing: report.failing,
    since: report.since,
    problem: report.problem,
  });
}

/** Decodes a report; fields that are missing or make no sense, e.g. from another version, are left out. */
export function decodeReport(text: string | undefined): NodeReport {
  const value = parse(text);
  return {
    takesPart: texts(value["takesPart"]).flatMap((one) => Address.tryParse(one) ?? []),
    holds: list(value["holds"]).flatMap(holding),
    failing: texts(value["failing"]),
    ...(isTime(value["since"]) && { since: value["since"] }),
    ...(typeof value["problem"] === "string" && { problem: value["problem"] }),
  };
}

type Json = Readonly<Record<string, unknown>>;

function parse(text: string | undefined): Json {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? (value as Json) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function holding(value: unknown): Holding[] {
  const { vip, since } = (typeof value === "object" && value !== null ? value : {}) as Json;
  if (typeof vip !== "string" || typeof since !== "string") return [];
  const address = Address.tryParse(vip);
  const date = new Date(since);
  return address === undefined || Number.isNaN(date.getTime())
    ? []
    : [{ vip: address, since: date }];
}

/** Whether a value is a time as Kubernetes writes it, so that comparing texts compares times. */
function isTime(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function texts(value: unknown): string[] {
  return list(value).filter((one) => typeof one === "string");
}
