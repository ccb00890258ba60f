// The secrets, config maps and claims that a pod refers to, which its node may read.
import type { SecurityObject } from "./objects.ts";

export interface PodLike extends SecurityObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly volumes?: readonly VolumeLike[];
    readonly containers?: readonly ContainerLike[];
    readonly initContainers?: readonly ContainerLike[];
    readonly ephemeralContainers?: readonly ContainerLike[];
    readonly resourceClaims?: readonly object[];
    readonly imagePullSecrets?: readonly { readonly name?: string }[];
  };
}

interface VolumeLike {
  readonly name?: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: object;
  readonly csi?: { readonly nodePublishSecretRef?: { readonly name?: string } };
  readonly secret?: { readonly secretName?: string };
  readonly configMap?: { readonly name?: string };
  readonly projected?: {
    readonly sources?: readonly {
      readonly secret?: { readonly name?: string };
      readonly configMap?: { readonly name?: string };
      readonly serviceAccountToken?: { readonly audience?: string };
      readonly clusterTrustBundle?: object;
      readonly podCertificate?: object;
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

/** Returns the names of the secrets a pod refers to, in its own namespace. */
export function secretNames({ spec }: PodLike): Set<string> {
  return named([
    ...(spec?.imagePullSecrets ?? []).map((secret) => secret.name),
    ...(spec?.volumes ?? []).flatMap((volume) => [
      volume.secret?.secretName,
      volume.csi?.nodePublishSecretRef?.name,
      ...(volume.projected?.sources ?? []).map((source) => source.secret?.name),
    ]),
    ...containersOf(spec).flatMap((container) => [
      ...(container.env ?? []).map((variable) => variable.valueFrom?.secretKeyRef?.name),
      ...(container.envFrom ?? []).map((source) => source.secretRef?.name),
    ]),
  ]);
}

export function configMapNames({ spec }: PodLike): Set<string> {
  return named([
    ...(spec?.volumes ?? []).flatMap((volume) => [
      volume.configMap?.name,
      ...(volume.projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
    ...containersOf(spec).flatMap((container) => [
      ...(container.env ?? []).map((variable) => variable.valueFrom?.configMapKeyRef?.name),
      ...(container.envFrom ?? []).map((source) => source.configMapRef?.name),
    ]),
  ]);
}

/** Returns the names of the volume claims a pod refers to, including those made for it. */
export function claimNames({ metadata, spec }: PodLike): Set<string> {
  return named(
    (spec?.volumes ?? []).map(({ name, persistentVolumeClaim, ephemeral }) =>
      ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata?.name}-${name}`,
    ),
  );
}

/** Returns the kind of API object a pod refers to, as Kubernetes names it; `undefined` when there is none. */
export function referredKind(pod: PodLike): string | undefined {
  const { spec } = pod;
  if (spec?.serviceAccountName) return "serviceaccounts";
  if (secretNames(pod).size > 0) return "secrets";
  if (configMapNames(pod).size > 0) return "configmaps";
  if ((spec?.resourceClaims ?? []).length > 0) return "resourceclaims";
  for (const { csi, persistentVolumeClaim, ephemeral, projected } of spec?.volumes ?? []) {
    if (csi !== undefined) return "csidrivers (via CSI volumes)";
    if (persistentVolumeClaim !== undefined) return "persistentvolumeclaims";
    if (ephemeral !== undefined) return "persistentvolumeclaims (via ephemeral volumes)";
    for (const source of projected?.sources ?? []) {
      if (source.serviceAccountToken !== undefined)
        return "serviceaccounts (via projected volumes)";
      if (source.clusterTrustBundle !== undefined) return "clustertrustbundles";
      if (source.podCertificate !== undefined) return "podcertificates";
    }
  }
  return undefined;
}

function containersOf(spec: PodLike["spec"]): readonly ContainerLike[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers];
}

function named(names: readonly (string | undefined)[]): Set<string> {
  return new Set(names.filter((name) => name !== undefined));
}
