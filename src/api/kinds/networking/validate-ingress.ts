import { Address } from "../../../base/net/address.ts";
import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import {
  dnsSubdomain,
  pathSegment,
  portName,
  serviceName,
  wildcardSubdomain,
} from "../../fields/names.ts";
import type { TypedLocalObjectReference } from "../../types/core.ts";
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressTLS,
} from "../../types/networking.ts";
import { addressErrors } from "../address-errors.ts";
import { each, named, optionalName, presentPart, within } from "../checks.ts";

const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];
const wrongSequences = ["//", "/./", "/../", "%2f", "%2F"];
const wrongEndings = ["/..", "/."];
const classAnnotation = "kubernetes.io/ingress.class";

export function ingressErrors({ spec }: Ingress): FieldError[] {
  const { rules = [], defaultBackend } = spec;
  const detail = "either `defaultBackend` or `rules` must be specified";
  return [
    ...(rules.length === 0 && defaultBackend === undefined ? [invalid("spec", rules, detail)] : []),
    ...(defaultBackend === undefined ? [] : backendErrors(defaultBackend, "spec.defaultBackend")),
    ...each(rules, "spec.rules", ruleErrors),
    ...each(spec.tls, "spec.tls", tlsErrors),
    ...(spec.ingressClassName === undefined
      ? []
      : named("spec.ingressClassName", spec.ingressClassName, dnsSubdomain)),
  ];
}

/** Checks that the legacy class annotation of a new ingress agrees with `ingressClassName`. */
export function ingressClassErrors({ metadata, spec }: Ingress): FieldError[] {
  const annotated = metadata.annotations?.[classAnnotation];
  const { ingressClassName = annotated } = spec;
  if (annotated === undefined || annotated === ingressClassName) return [];
  const detail = "must match `ingressClassName` when both are specified";
  return [invalid(`annotations.${classAnnotation}`, annotated, detail)];
}

export function ingressStatusErrors({ status }: Ingress): FieldError[] {
  return each(
    status?.loadBalancer?.ingress,
    "status.loadBalancer.ingress",
    ({ ip, hostname }, path) => [
      ...(ip ? addressErrors(`${path}.ip`, ip) : []),
      ...optionalName(`${path}.hostname`, hostname, dnsSubdomain),
      ...notAddress(`${path}.hostname`, hostname ?? ""),
    ],
  );
}

function ruleErrors({ host = "", http }: IngressRule, path: string): FieldError[] {
  const paths = http?.paths ?? [];
  return [
    ...notAddress(`${path}.host`, host),
    ...(host === "" ? [] : hostErrors(`${path}.host`, host)),
    ...(http !== undefined && paths.length === 0 ? [required(`${path}.http.paths`)] : []),
    ...each(paths, `${path}.http.paths`, pathErrors),
  ];
}

function hostErrors(field: string, host: string): FieldError[] {
  return named(field, host, host.includes("*") ? wildcardSubdomain : dnsSubdomain);
}

function notAddress(field: string, host: string): FieldError[] {
  const isAddress = Address.tryParse(host) !== undefined;
  return isAddress ? [invalid(field, host, "must be a DNS name, not an IP address")] : [];
}

function pathErrors(rule: HTTPIngressPath, path: string): FieldError[] {
  const { path: target = "", pathType, backend } = rule;
  if (pathType === undefined) return [required(`${path}.pathType`, "pathType must be specified")];
  const field = `${path}.path`;
  const isExact = pathType === "Exact" || pathType === "Prefix";
  const mustBeAbsolute = isExact || (pathType === "ImplementationSpecific" && target !== "");
  const detail = "must be an absolute path";
  return [
    ...(pathTypes.includes(pathType)
      ? []
      : [notSupported(`${path}.pathType`, pathType, pathTypes)]),
    ...(mustBeAbsolute && !target.startsWith("/") ? [invalid(field, target, detail)] : []),
    ...(isExact ? sequenceErrors(target, field) : []),
    ...backendErrors(backend ?? {}, `${path}.backend`),
  ];
}

function sequenceErrors(target: string, field: string): FieldError[] {
  return [
    ...wrongSequences
      .filter((wrong) => target.includes(wrong))
      .map((wrong) => invalid(field, target, `must not contain '${wrong}'`)),
    ...wrongEndings
      .filter((wrong) => target.endsWith(wrong))
      .map((wrong) => invalid(field, target, `cannot end with '${wrong}'`)),
  ];
}

function backendErrors({ service, resource }: IngressBackend, path: string): FieldError[] {
  if (service !== undefined && resource !== undefined) {
    return [invalid(path, "", "cannot set both resource and service backends")];
  }
  if (resource !== undefined) return referenceErrors(resource, `${path}.resource`);
  if (service === undefined) return [invalid(path, "", "resource or service backend is required")];
  const { name, number } = service.port ?? {};
  const field = `${path}.service`;
  return [
    ...(service.name
      ? named(`${field}.name`, service.name, serviceName)
      : [required(`${field}.name`)]),
    ...(name && number ? [invalid(path, "", "cannot set both port name & port number")] : []),
    ...(name && !number ? named(`${field}.port.name`, name, portName) : []),
    ...(number && !name ? within(`${field}.port.number`, number, [1, 65_535]) : []),
    ...(name || number ? [] : [required(path, "port name or number is required")]),
  ];
}

/** Checks a reference to an object of any kind in the same namespace. */
export function referenceErrors(
  { apiGroup, kind, name }: TypedLocalObjectReference,
  path: string,
): FieldError[] {
  return [
    ...(apiGroup === undefined ? [] : named(`${path}.apiGroup`, apiGroup, dnsSubdomain)),
    ...presentPart(`${path}.kind`, kind, pathSegment),
    ...presentPart(`${path}.name`, name, pathSegment),
  ];
}

function tlsErrors({ hosts, secretName }: IngressTLS, path: string): FieldError[] {
  return [
    ...each(hosts, `${path}.hosts`, (host, field) => hostErrors(field, host)),
    ...optionalName(`${path}.secretName`, secretName, dnsSubdomain),
  ];
}
