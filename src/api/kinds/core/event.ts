// Events of both groups are kept in the older form; what is required of the newer one is the fields
// that make sense of an event with an eventTime.

import type { FieldError } from "../../fields/field-error.ts";
import { invalid } from "../../fields/field-errors.ts";
import { pathSegment, qualifiedName } from "../../fields/names.ts";
import type { Event, ObjectReference } from "../../types/core.ts";
import { ageOf } from "../age.ts";
import { named, present } from "../checks.ts";
import type { Kind } from "../kind.ts";
import { count, nameColumn, table, text, wide } from "../table.ts";

const referenceFields = [
  "kind",
  "namespace",
  "name",
  "uid",
  "apiVersion",
  "resourceVersion",
  "fieldPath",
] as const satisfies readonly (keyof ObjectReference)[];

export const event: Kind<Event> = {
  name: pathSegment,
  validate: (object) => [...namespaceErrors(object), ...seriesErrors(object)],
  selectableFields: [
    ...referenceFields.flatMap((field) => [`involvedObject.${field}`, `regarding.${field}`]),
    "reason",
    "reportingComponent",
    "reportingController",
    "source",
    "type",
  ],
  selectableField,
  table: table<Event>([
    text("Last Seen", lastSeen),
    text("Type", ({ type }) => type),
    text("Reason", ({ reason }) => reason),
    text("Object", ({ involvedObject }) => objectText(involvedObject)),
    wide(text("Subobject", ({ involvedObject }) => involvedObject?.fieldPath)),
    wide(text("Source", sourceText)),
    text("Message", ({ message }) => message?.trim()),
    wide(text("First Seen", firstSeen)),
    wide(count("Count", (object) => object.series?.count ?? (object.count || 1))),
    wide(nameColumn),
  ]),
};

function namespaceErrors({ metadata, involvedObject, eventTime }: Event): FieldError[] {
  const about = involvedObject?.namespace ?? "";
  const allowed = eventTime === undefined ? ["default"] : ["default", "kube-system"];
  const isMatching =
    about === "" ? allowed.includes(metadata.namespace) : about === metadata.namespace;
  if (isMatching || (eventTime !== undefined && about !== "")) return [];
  return [invalid("involvedObject.namespace", about, "does not match event.namespace")];
}

/** Checks the fields that an event with an eventTime must have. */
function seriesErrors(object: Event): FieldError[] {
  if (object.eventTime === undefined) return [];
  const { reportingComponent = "", reportingInstance, action, reason } = object;
  const limits = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;
  return [
    ...present("reportingComponent", reportingComponent),
    ...named("reportingComponent", reportingComponent, qualifiedName),
    ...present("reportingInstance", reportingInstance),
    ...present("action", action),
    ...present("reason", reason),
    ...(Object.keys(limits) as (keyof typeof limits)[])
      .filter((field) => Buffer.byteLength(object[field] ?? "") > limits[field])
      .map((field) => invalid(field, "", `can have at most ${limits[field]} characters`)),
  ];
}

function selectableField(object: Event, field: string): string {
  const { involvedObject, reason, type, source, reportingComponent } = object;
  const [, part] = /^(?:involvedObject|regarding)\.(.*)$/.exec(field) ?? [];
  if (part !== undefined) {
    return involvedObject?.[part as (typeof referenceFields)[number]] ?? "";
  }
  if (field === "reason") return reason ?? "";
  if (field === "type") return type ?? "";
  if (field === "source") return source?.component || (reportingComponent ?? "");
  return reportingComponent ?? "";
}

function firstSeen({ firstTimestamp, eventTime }: Event, now: Date): string {
  return ageOf(firstTimestamp ?? eventTime, now);
}

function lastSeen(object: Event, now: Date): string {
  const { series, lastTimestamp } = object;
  if (series !== undefined) return ageOf(series.lastObservedTime, now);
  return lastTimestamp === undefined ? firstSeen(object, now) : ageOf(lastTimestamp, now);
}

function objectText(about: ObjectReference | undefined): string {
  const kind = (about?.kind ?? "").toLowerCase();
  return about?.name ? `${kind}/${about.name}` : kind;
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || (reportingComponent ?? "");
  const instance = source?.host || reportingInstance;
  return instance ? `${component}, ${instance}` : component;
}
