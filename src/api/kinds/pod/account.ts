// How a pod gets to be somebody: the account it runs as, and the files by which it proves that.
import type { Container, Pod, ServiceAccount, Volume } from "../../types/core.ts";

const mirrorAnnotation = "kubernetes.io/config.mirror";
const tokenDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";
const rootCertificates = "kube-root-ca.crt";
/** A few seconds more than an hour, by which volumes made here can be told from others. */
const tokenSeconds = 3607;
const fileMode = 0o644;

/** What the names of such volumes begin with. */
export const accountVolumePrefix = "kube-api-access-";

/** Whether it only shows a pod that a node runs by itself. */
export function isMirrorPod({ metadata }: Pod): boolean {
  return metadata.annotations?.[mirrorAnnotation] !== undefined;
}

/** Completes a new pod with what its account has to give; the volume is new when it needs one. */
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
