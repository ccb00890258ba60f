import type { PodTemplate } from "../../types/core.ts";
import type { Kind } from "../kind.ts";
import { labelsText, nameColumn, table, text } from "../table.ts";
import { containersColumn, imagesColumn } from "../workloads/columns.ts";
import { defaultTemplate, validateTemplate } from "../workloads/template.ts";

export const podTemplate: Kind<PodTemplate> = {
  hasGeneration: true,
  default(object) {
    defaultTemplate((object.template ??= {}));
  },
  validate: ({ template = {} }) => validateTemplate(template, "template"),
  table: table<PodTemplate>([
    nameColumn,
    containersColumn(({ template }) => template),
    imagesColumn(({ template }) => template),
    text("Pod Labels", ({ template }) => labelsText(template?.metadata?.labels)),
  ]),
};
