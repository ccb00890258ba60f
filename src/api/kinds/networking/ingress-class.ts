import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, notSupported, required } from "../../fields/field-errors.ts";
import { dnsLabel } from "../../fields/names.ts";
import type { IngressClass, IngressClassParametersReference } from "../../types/networking.ts";
import { immutable, named, tooLong } from "../checks.ts";
import { domainPathErrors } from "../domain-path.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";
import { referenceErrors } from "./validate-ingress.ts";

const scopes = ["Cluster", "Namespace"];
const longestController = 250;

export const ingressClass: Kind<IngressClass> = {
  default(object) {
    const { parameters } = (object.spec ??= {});
    if (parameters !== undefined) parameters.scope ??= "Cluster";
  },
  validate({ spec }) {
    const { controller = "", parameters } = spec;
    return [
      ...tooLong("spec.controller", controller, longestController),
      ...domainPathErrors("spec.controller", controller),
      ...(parameters === undefined ? [] : parameterErrors(parameters, "spec.parameters")),
    ];
  },
  validateUpdate: ({ spec }, old) =>
    immutable("spec.controller", spec.controller, old.spec.controller),
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
    ...(scopes.includes(scope) ? [] : [notSupported(`${path}.scope`, scope, scopes)]),
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
