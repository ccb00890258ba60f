// A plan for people and for programs.

import { formatDocument } from "../../base/program/output.ts";
import type { InstallPlan } from "../../install/machine/machine.ts";

export type PlanFormat = "text" | "json" | "yaml";

export async function formatPlan(plan: InstallPlan, format: PlanFormat): Promise<string> {
  if (format !== "text") return await formatDocument(plan, format);
  const files = plan.files.map(({ path, content, change }) =>
    change === "keep" ? `keep    ${path}\n` : `${change.padEnd(7)} ${path}\n${indented(content)}`,
  );
  const units = plan.units.map(({ unit, action }) => `${action.padEnd(7)} ${unit}\n`);
  return [...files, ...units].join("");
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "        ");
}
