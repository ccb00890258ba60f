// Columns that every kind with a template of pods shows.
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
  return compileLabelSelector(selector).text || "<none>";
}
