// The environment variables of a container.

import type { ConfigMap, EnvFromSource, EnvVar, Secret, Service } from "../../../api/types/core.ts";
import type { Slot } from "../decide/slots.ts";
import { slotsOf } from "../decide/slots.ts";
import { ConfigurationError } from "./error.ts";
import { expand } from "./expand.ts";
import { fieldValue, type PodFacts, resourceValue } from "./facts.ts";
import { servicesFor, serviceVariables } from "./service-variables.ts";

export interface NamedObjects {
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
}

export interface EnvironmentSources {
  readonly facts: PodFacts;
  readonly objects: NamedObjects;
  readonly services: readonly Service[];
}

/** Returns all variables. Later sources override earlier ones: services, then envFrom, then env. */
export async function environmentOf(
  slot: Slot,
  sources: EnvironmentSources,
): Promise<Record<string, string>> {
  const { pod } = sources.facts;
  const { namespace } = pod.metadata;
  const hasLinks = pod.spec.enableServiceLinks ?? true;
  const services = servicesFor(sources.services, { namespace, hasLinks });
  const variables = serviceVariables(services);
  for (const [index, source] of (slot.container.envFrom ?? []).entries()) {
    const place = { path: `spec.${slot.path}.envFrom[${index}]`, namespace };
    Object.assign(variables, await allOf(source, place, sources.objects));
  }
  for (const [index, variable] of (slot.container.env ?? []).entries()) {
    const path = `spec.${slot.path}.env[${index}]`;
    const value = await valueOf(variable, { path, slot, sources, variables });
    if (value !== undefined) variables[variable.name] = value;
  }
  return variables;
}

interface Place {
  readonly path: string;
  readonly namespace: string;
}

async function allOf(source: EnvFromSource, place: Place, objects: NamedObjects) {
  const { prefix = "", configMapRef, secretRef } = source;
  const data =
    configMapRef === undefined
      ? textOf(await secretOf(secretRef, { ...place, path: `${place.path}.secretRef` }, objects))
      : (await configMapOf(configMapRef, { ...place, path: `${place.path}.configMapRef` }, objects))
          ?.data;
  const entries = Object.entries(data ?? {}).filter(([key]) => /^[^=\0]+$/.test(key));
  return Object.fromEntries(entries.map(([key, value]) => [`${prefix}${key}`, value]));
}

interface VariableContext {
  readonly path: string;
  readonly slot: Slot;
  readonly sources: EnvironmentSources;
  /** The variables defined so far, which this one may refer to. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Returns the variable's value, or undefined when its optional source does not exist. */
async function valueOf(variable: EnvVar, context: VariableContext): Promise<string | undefined> {
  const { value, valueFrom } = variable;
  const { sources, slot } = context;
  if (valueFrom === undefined) return expand(value ?? "", context.variables);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef !== undefined) return fieldValue(sources.facts, fieldRef.fieldPath);
  if (resourceFieldRef !== undefined) {
    const { containerName = slot.name } = resourceFieldRef;
    const { container } =
      slotsOf(sources.facts.pod.spec).find(({ name }) => name === containerName) ?? slot;
    return resourceValue(container, resourceFieldRef, sources.facts);
  }
  const { namespace } = sources.facts.pod.metadata;
  if (configMapKeyRef !== undefined) {
    const place = { namespace, path: `${context.path}.valueFrom.configMapKeyRef` };
    const found = await configMapOf(configMapKeyRef, place, sources.objects);
    return keyOf(found?.data, configMapKeyRef, place);
  }
  const place = { namespace, path: `${context.path}.valueFrom.secretKeyRef` };
  if (secretKeyRef === undefined) {
    throw new ConfigurationError(`set ${context.path}.valueFrom`, "its source is not supported");
  }
  const found = await secretOf(secretKeyRef, place, sources.objects);
  return keyOf(textOf(found), secretKeyRef, place);
}

interface Reference {
  readonly name?: string;
  readonly optional?: boolean;
}

async function configMapOf(reference: Reference | undefined, place: Place, objects: NamedObjects) {
  const { name = "", optional = false } = reference ?? {};
  const found = await objects.configMap(place.namespace, name);
  if (found === undefined && !optional)
    throw missing(place, `configmap ${JSON.stringify(name)} not found`);
  return found;
}

async function secretOf(reference: Reference | undefined, place: Place, objects: NamedObjects) {
  const { name = "", optional = false } = reference ?? {};
  const found = await objects.secret(place.namespace, name);
  if (found === undefined && !optional)
    throw missing(place, `secret ${JSON.stringify(name)} not found`);
  return found;
}

function keyOf(
  data: Readonly<Record<string, string>> | undefined,
  { key, name = "", optional = false }: Reference & { readonly key: string },
  place: Place,
): string | undefined {
  const value = data !== undefined && Object.hasOwn(data, key) ? data[key] : undefined;
  if (value !== undefined || optional) return value;
  throw missing(place, `couldn't find key ${key} in ${place.namespace}/${name}`);
}

function textOf(secret: Secret | undefined): Record<string, string> | undefined {
  if (secret === undefined) return undefined;
  const entries = Object.entries(secret.data ?? {});
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

function missing({ path }: Place, state: string): ConfigurationError {
  return new ConfigurationError(`set ${path}`, state);
}
