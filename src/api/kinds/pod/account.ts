// Service accounts of pods: the account a pod runs as, and the volume with its credentials.
import type { Container, Pod, ServiceAccount, Volume } from "../../types/core.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const tokenDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";
const rootCertificates = "kube-root-ca.crt";
/** The lifetime of tokens: a few seconds more than an hour, which marks volumes that the server added. */
const tokenSeconds = 3607;
const fileMode = 0o644;

/** The prefix of the names of volumes that the server added. */
export const accountVolumePrefix = "kube-api-access-";

/** Returns whether a pod only mirrors one that a node runs on its own, from a static manifest. */
export function isMirrorPod({ metadata }: Pod): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/** Adds to a new pod what its account provides: pull secrets, and a token volume where it needs one. */
export function takeFromAccount(pod: Pod, account: ServiceAccount, volumeName: string): void {
  const { spec } = pod;
  const secrets = account.imagePullSecrets ?? [];
  if ((spec.imagePullSecrets ?? []).length === 0 && secrets.length > 0) {
    spec.imagePullSecrets = structuredClone(secrets);
  }
  const isWanted =
    spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (isWanted) mountToken(pod, volumeName);
}

function mountToken({ spec }: Pod, volumeName: string): void {
  const volumes = spec.volumes ?? [];
  const present = volumes.find(({ name }) => name.startsWith(accountVolumePrefix));
  const name = present?.name ?? volumeName;
  const bare = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(lacksToken);
  for (const container of bare) {
    const mount = { name, readOnly: true, mountPath: tokenDirectory };
    container.volumeMounts = [...(container.volumeMounts ?? []), mount];
  }
  if (present === undefined && bare.length > 0) spec.volumes = [...volumes, tokenVolume(name)];
}

function lacksToken({ volumeMounts = [] }: Container): boolean {
  return volumeMounts.every(({ mountPath }) => mountPath !== tokenDirectory);
}

function tokenVolume(name: string): Volume {
  const namespace = { apiVersion: "v1", fieldPath: "metadata.namespace" };
  return {
    name,
    projected: {
      defaultMode: fileMode,
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: "token" } },
        { configMap: { name: rootCertificates, items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef: namespace }] } },
      ],
    },
  };
}
