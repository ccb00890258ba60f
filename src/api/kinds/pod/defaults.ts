// Defaults of pods and pod templates, beyond those of the tables.

import { canonicalAmount, formatQuantity, parseQuantity } from "../../fields/quantity.ts";
import type {
  Container,
  EnvVar,
  EphemeralContainer,
  Pod,
  PodSpec,
  ResourceRequirements,
  Volume,
} from "../../types/core.ts";
import { everyContainer } from "./containers.ts";
import { defaultFieldReferences } from "./field-references.ts";
import { defaultPullPolicy } from "./image.ts";

/** Fills in the defaults of a pod spec, in a pod or in a template. */
export function defaultPodSpec(spec: PodSpec): void {
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) {
    spec.serviceAccountName = account;
    // The deprecated name of the field, for clients that know no other.
    spec.serviceAccount = account;
  }
  canonicalAmounts(spec.overhead);
  if (spec.resources !== undefined) defaultResources(spec.resources);
  // Resource claims are dropped, since no part of Tandem allocates devices.
  delete spec.resourceClaims;
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  for (const { container } of everyContainer(spec)) defaultContainer(container);
}

/** Fills in the defaults of a pod that templates do not get. */
export function defaultPod({ spec }: Pod): void {
  defaultPodSpec(spec);
  spec.enableServiceLinks ??= true;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const { limits, requests } = container.resources ?? {};
    if (limits !== undefined && Object.keys(limits).length > 0) {
      container.resources = { ...container.resources, requests: { ...limits, ...requests } };
    }
    if (spec.hostNetwork === true) {
      for (const port of container.ports ?? []) port.hostPort ||= port.containerPort;
    }
  }
}

function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= defaultPullPolicy(container.image);
  if (container.resources !== undefined) defaultResources(container.resources);
  for (const variable of container.env ?? []) defaultVariable(variable);
}

function defaultVariable({ valueFrom }: EnvVar): void {
  if (valueFrom !== undefined) defaultFieldReferences(valueFrom);
}

function defaultResources(resources: ResourceRequirements): void {
  delete resources.claims;
  canonicalAmounts(resources.limits);
  canonicalAmounts(resources.requests);
}

function canonicalAmounts(amounts: Record<string, string> | undefined): void {
  for (const [resource, amount] of Object.entries(amounts ?? {})) {
    if (amounts !== undefined) amounts[resource] = canonicalAmount(amount);
  }
}

function defaultVolume(volume: Volume): void {
  const { name: _, ...sources } = volume;
  if (Object.keys(sources).length === 0) volume.emptyDir = {};
  const { emptyDir, downwardAPI, projected, image, ephemeral } = volume;
  if (ephemeral?.volumeClaimTemplate !== undefined) {
    ephemeral.volumeClaimTemplate.metadata ??= {};
  }
  if (image !== undefined) image.pullPolicy ||= defaultPullPolicy(image.reference);
  if (emptyDir?.sizeLimit !== undefined) {
    emptyDir.sizeLimit = formatQuantity(parseQuantity(emptyDir.sizeLimit));
  }
  for (const file of downwardAPI?.items ?? []) defaultFieldReferences(file);
  for (const source of projected?.sources ?? []) {
    for (const file of source.downwardAPI?.items ?? []) defaultFieldReferences(file);
  }
}
