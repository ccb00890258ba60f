// Columns that every kind with a template of pods shows.
import { compareText } from "../../../base/json/value.ts";
import { formatRequirement } from "../../selectors/label-requirement.ts";
import { compileLabelSelector } from "../../selectors/label-selector.ts";
import type { PodTemplateSpec } from "../../types/core.ts";
import type { LabelSelector } from "../../types/meta.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { type Column, text } from "../table.ts";

type TemplateOf<T> = (object: T) => PodTemplateSpec | undefined;

export function containersColumn<T>(template: TemplateOf<T>): Column<T> {
  return text("Containers", (object) =>
    (template(object)?.spec?.containers ?? []).map(({ name }) => name).join(","),
  );
}

export function imagesColumn<T>(template: TemplateOf<T>): Column<T> {
  return text("Images", (object) =>
    (template(object)?.spec?.containers ?? []).map(({ image }) => image ?? "").join(","),
  );
}

export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "<none>";
  if (validateLabelSelector(selector, "").length > 0) return "<error>";
  const { requirements } = compileLabelSelector(selector);
  const sorted = requirements.toSorted((left, right) => compareText(left.key, right.key));
  return sorted.map(formatRequirement).join(",") || "<none>";
}
