import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, required } from "../../fields/field-errors.ts";
import { dnsLabel } from "../../fields/names.ts";
import type { IngressClass, IngressClassParametersReference } from "../../types/networking.ts";
import { named } from "../checks.ts";
import { domainPathErrors } from "../domain-path.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";
import { referenceErrors } from "./validate-ingress.ts";

export const ingressClass: Kind<IngressClass> = {
  validate({ spec }) {
    const { controller = "", parameters } = spec;
    return [
      ...domainPathErrors("spec.controller", controller),
      ...(parameters === undefined ? [] : parameterErrors(parameters, "spec.parameters")),
    ];
  },
  table: table<IngressClass>([
    nameColumn,
    text("Controller", ({ spec }) => spec.controller),
    text("Parameters", parametersText),
    ageColumn,
  ]),
};

function parameterErrors(parameters: IngressClassParametersReference, path: string): FieldError[] {
  const { scope = "", namespace } = parameters;
  const field = `${path}.namespace`;
  const detail = `\`parameters.scope\` is set to '${scope}'`;
  return [
    ...referenceErrors(parameters, path),
    ...(scope === "Namespace"
      ? namespace === undefined
        ? [required(field, detail)]
        : named(field, namespace, dnsLabel)
      : []),
    ...(scope === "Cluster" && namespace !== undefined ? [forbidden(field, detail)] : []),
  ];
}

function parametersText({ spec }: IngressClass): string {
  if (spec.parameters === undefined) return "<none>";
  const { kind, apiGroup, name } = spec.parameters;
  return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
}
