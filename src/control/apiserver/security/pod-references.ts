// Which secrets and configmaps a pod refers to: what its node may read.
import type { SecurityObject } from "./objects.ts";

export interface PodLike extends SecurityObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly volumes?: readonly VolumeLike[];
    readonly containers?: readonly ContainerLike[];
    readonly initContainers?: readonly ContainerLike[];
    readonly imagePullSecrets?: readonly { readonly name?: string }[];
  };
}

interface VolumeLike {
  readonly secret?: { readonly secretName?: string };
  readonly configMap?: { readonly name?: string };
  readonly projected?: {
    readonly sources?: readonly {
      readonly secret?: { readonly name?: string };
      readonly configMap?: { readonly name?: string };
    }[];
  };
}

interface ContainerLike {
  readonly env?: readonly {
    readonly valueFrom?: {
      readonly secretKeyRef?: { readonly name?: string };
      readonly configMapKeyRef?: { readonly name?: string };
    };
  }[];
  readonly envFrom?: readonly {
    readonly secretRef?: { readonly name?: string };
    readonly configMapRef?: { readonly name?: string };
  }[];
}

/** Names of the secrets a pod refers to, in its own namespace. */
export function secretNames({ spec }: PodLike): Set<string> {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return named([
    ...(spec?.imagePullSecrets ?? []).map((secret) => secret.name),
    ...(spec?.volumes ?? []).flatMap((volume) => [
      volume.secret?.secretName,
      ...(volume.projected?.sources ?? []).map((source) => source.secret?.name),
    ]),
    ...containers.flatMap((container) => [
      ...(container.env ?? []).map((variable) => variable.valueFrom?.secretKeyRef?.name),
      ...(container.envFrom ?? []).map((source) => source.secretRef?.name),
    ]),
  ]);
}

export function configMapNames({ spec }: PodLike): Set<string> {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return named([
    "kube-root-ca.crt",
    ...(spec?.volumes ?? []).flatMap((volume) => [
      volume.configMap?.name,
      ...(volume.projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
    ...containers.flatMap((container) => [
      ...(container.env ?? []).map((variable) => variable.valueFrom?.configMapKeyRef?.name),
      ...(container.envFrom ?? []).map((source) => source.configMapRef?.name),
    ]),
  ]);
}

function named(names: readonly (string | undefined)[]): Set<string> {
  return new Set(names.filter((name) => name !== undefined));
}
