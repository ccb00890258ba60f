import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../fields/field-errors.ts";
import { dnsLabel, dnsSubdomain } from "../../fields/names.ts";
import type { APIService } from "../../types/apiregistration.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

const priorities = { groupPriorityMinimum: 20_000, versionPriority: 1000 } as const;

export const apiService: Kind<APIService> = specAndStatus<APIService>({
  hasGeneration: false,
  initialStatus: () => ({}),
  validate: specErrors,
  table: table<APIService>([
    nameColumn,
    text("Service", ({ spec }) =>
      spec.service === undefined ? "Local" : `${spec.service.namespace}/${spec.service.name}`,
    ),
    text("Available", ({ status }) => availableText(status)),
    ageColumn,
  ]),
});

function specErrors({ metadata, spec }: APIService): FieldError[] {
  const { group = "", version = "", service, insecureSkipTLSVerify, caBundle } = spec;
  const expected = `${version}.${group}`;
  const name = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`;
  return [
    ...(metadata.name === expected ? [] : [invalid("metadata.name", metadata.name, name)]),
    ...(group === "" ? [] : dnsSubdomain(group)).map((one) => invalid("spec.group", group, one)),
    ...dnsLabel(version).map((one) => invalid("spec.version", version, one)),
    ...(["groupPriorityMinimum", "versionPriority"] as const).flatMap((field) => {
      const value = spec[field] ?? 0;
      const most = priorities[field];
      if (value > 0 && value <= most) return [];
      return [invalid(`spec.${field}`, value, `must be positive and less than ${most}`)];
    }),
    ...(service === undefined && caBundle !== undefined
      ? [forbidden("spec.caBundle", "local APIServices may not have a caBundle")]
      : []),
    ...(service === undefined && insecureSkipTLSVerify === true
      ? [forbidden("spec.insecureSkipTLSVerify", "local APIServices may not set it")]
      : []),
    ...(service !== undefined && insecureSkipTLSVerify === true && caBundle !== undefined
      ? [forbidden("spec.insecureSkipTLSVerify", "may not be true if caBundle is present")]
      : []),
    ...(["namespace", "name"] as const)
      .filter((field) => service !== undefined && !service[field])
      .map((field) => required(`spec.service.${field}`)),
  ];
}

function availableText(status: APIService["status"]): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  if (condition === undefined) return "Unknown";
  return condition.status === "True" ? "True" : `${condition.status} (${condition.reason ?? ""})`;
}
