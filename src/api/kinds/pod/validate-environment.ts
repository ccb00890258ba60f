// Variables of a container, and the fields of its pod they may show.

import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import { configKey, dnsSubdomain, environmentName, qualifiedName } from "../../fields/names.ts";
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "../../types/core.ts";
import { each, named, optionalName, present, presentName } from "../checks.ts";

export const variableFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
/** The fields that are known at all; variables and files may show only some of them. */
const knownFields = [
  ...variableFields,
  "metadata.annotations",
  "metadata.labels",
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
];
const resourceFields = ["limits", "requests"].flatMap((list) =>
  ["cpu", "ephemeral-storage", "memory"].map((resource) => `${list}.${resource}`),
);
const byteUnits = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

export function variableErrors({ name, value, valueFrom }: EnvVar, path: string): FieldError[] {
  return [
    ...presentName(`${path}.name`, name, environmentName),
    ...(valueFrom === undefined ? [] : sourceErrors(valueFrom, value ?? "", `${path}.valueFrom`)),
  ];
}

export function variablesFromErrors(
  { prefix, configMapRef, secretRef }: EnvFromSource,
  path: string,
): FieldError[] {
  const list = path.slice(0, path.lastIndexOf("["));
  const sources = [
    { ref: configMapRef, field: `${path}.configMapRef.name` },
    { ref: secretRef, field: `${path}.secretRef.name` },
  ].filter(({ ref }) => ref !== undefined);
  return [
    ...optionalName(`${path}.prefix`, prefix, environmentName),
    ...sources.flatMap(({ ref, field }) => presentName(field, ref?.name, dnsSubdomain)),
    ...exactlyOne(sources.length, list, ["configMapRef", "secretRef"]),
  ];
}

/** Checks a field reference of a variable or of a file in a volume; `supported` differs between the two. */
export function fieldErrors(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  path: string,
  supported: readonly string[],
): FieldError[] {
  if (!fieldPath) return [required(`${path}.fieldPath`)];
  const [, parent = fieldPath, subscript] = /^(.*)\['(.*)'\]$/.exec(fieldPath) ?? [];
  const isKnown = subscript === undefined ? knownFields.includes(parent) : isMap(parent);
  if (apiVersion !== "v1" || !isKnown) {
    const what = subscript === undefined ? "not supported" : "does not support subscript";
    const state =
      apiVersion === "v1"
        ? `field label ${what}: ${fieldPath}`
        : `unsupported pod version: ${apiVersion}`;
    const detail = `error converting fieldPath: ${state}`;
    return [invalid(`${path}.fieldPath`, fieldPath, detail)];
  }
  if (subscript !== undefined) {
    const key = parent === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    return named(path, key, qualifiedName);
  }
  if (supported.includes(parent)) return [];
  return [notSupported(`${path}.fieldPath`, parent, supported.toSorted())];
}

function isMap(field: string): boolean {
  return field === "metadata.annotations" || field === "metadata.labels";
}

export function resourceFieldErrors(
  { resource, divisor }: ResourceFieldSelector,
  path: string,
): FieldError[] {
  if (!resource) return [required(`${path}.resource`)];
  const isHuge = /^(?:limits|requests)\.hugepages-/.test(resource);
  const known = resourceFields.toSorted();
  if (!isHuge && !known.includes(resource)) {
    return [notSupported(`${path}.resource`, resource, known)];
  }
  const [, what = ""] = resource.split(".", 2);
  const name = isHuge
    ? "hugepages"
    : what.replace("ephemeral", "local ephemeral").replace("-", " ");
  const units = what === "cpu" ? "1m and 1" : byteUnits;
  if (divisor === undefined || divisor === "0" || units.split(/, | and /).includes(divisor))
    return [];
  const detail = `only divisor's values ${units} are supported with the ${name} resource`;
  return [invalid(`${path}.divisor`, resource, detail)];
}

function sourceErrors(source: EnvVarSource, value: string, path: string): FieldError[] {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  const keys = { configMapKeyRef, secretKeyRef };
  const count = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter(
    (one) => one !== undefined,
  ).length;
  const names = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];
  return [
    ...(fieldRef === undefined ? [] : fieldErrors(fieldRef, `${path}.fieldRef`, variableFields)),
    ...(resourceFieldRef === undefined
      ? []
      : resourceFieldErrors(resourceFieldRef, `${path}.resourceFieldRef`)),
    ...Object.entries(keys).flatMap(([field, ref]) =>
      ref === undefined ? [] : keyErrors(ref, `${path}.${field}`),
    ),
    ...(count > 0 && value !== ""
      ? [invalid(path, "", "may not be specified when `value` is not empty")]
      : exactlyOne(count, path, names)),
  ];
}

function keyErrors(ref: { name?: string; key: string }, path: string): FieldError[] {
  return [
    ...named(`${path}.name`, ref.name ?? "", dnsSubdomain),
    ...presentName(`${path}.key`, ref.key, configKey),
  ];
}

function exactlyOne(count: number, field: string, names: readonly string[]): FieldError[] {
  if (count === 1) return [];
  if (count > 1)
    return [invalid(field, "", "may not have more than one field specified at a time")];
  const quoted = names.map((name) => `\`${name}\``);
  const choice = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return [invalid(field, "", `must specify one of: ${choice}`)];
}

export function environmentErrors(
  container: { env?: EnvVar[]; envFrom?: EnvFromSource[] },
  path: string,
): FieldError[] {
  return [
    ...each(container.env, `${path}.env`, variableErrors),
    ...each(container.envFrom, `${path}.envFrom`, variablesFromErrors),
  ];
}

/** Checks that a file of a volume names the container whose resources it shows. */
export function containerNameErrors({ containerName }: ResourceFieldSelector, path: string) {
  return present(`${path}.containerName`, containerName);
}
