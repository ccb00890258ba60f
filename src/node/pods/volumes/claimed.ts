// Volumes by way of claims. A claim is its user's to write, so what it says of its volume holds only if the
// volume says the same of the claim.

import type { Client } from "../../../api/client/client.ts";
import { isForbidden, isNotFound } from "../../../api/client/errors.ts";
import { directoryOf, isBoundTo, isMadeFor, type PodClaim } from "../../../api/kinds/storage.ts";
import { compileNodeSelector } from "../../../api/selectors/node-selector.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../api/types/core.ts";
import { ConfigurationError } from "../environment/error.ts";
import type { DirectoryVolumes } from "./directory-volumes.ts";
import type { prepareHostPath } from "./host-path.system.ts";
import type { PreparedVolume } from "./prepared-volume.ts";

export interface ClaimedVolumesOptions {
  readonly client: Client;
  /** The name of the node. */
  readonly node: string;
  readonly directories: DirectoryVolumes;
  readonly hostPath: typeof prepareHostPath;
}

interface Wanted {
  readonly claim: PodClaim;
  /** The path of the volume in the pod, for messages. */
  readonly field: string;
}

export class ClaimedVolumes {
  readonly #options: ClaimedVolumesOptions;

  constructor(options: ClaimedVolumesOptions) {
    this.#options = options;
  }

  async prepare(pod: Pod, { claim: wanted, field }: Wanted): Promise<PreparedVolume> {
    const fail = (state: string) => new ConfigurationError(`use ${field}`, state);
    const claim = await this.#claim(pod, wanted.name);
    const name = JSON.stringify(wanted.name);
    if (claim === undefined) throw fail(`persistentvolumeclaim ${name} not found`);
    const state = claimRefusal(pod, claim, wanted);
    if (state !== undefined) throw fail(`persistentvolumeclaim ${name} ${state}`);
    const volume = await this.#volume(claim.spec.volumeName ?? "");
    if (volume === undefined || !isBoundTo(volume, claim)) {
      throw fail(`persistentvolumeclaim ${name} is not bound by its volume`);
    }
    const refusal = volumeRefusal(volume) ?? (await this.#placeRefusal(volume));
    if (refusal !== undefined) throw fail(`volume ${volume.metadata.name} ${refusal}`);
    const found = await this.#source(volume, { pod, field });
    return { ...found, isReadOnly: wanted.readOnly || volume.spec.csi?.readOnly === true };
  }

  async #source(
    volume: PersistentVolume,
    { pod, field }: { readonly pod: Pod; readonly field: string },
  ): Promise<Omit<PreparedVolume, "isReadOnly">> {
    const { hostPath, local } = volume.spec;
    if (hostPath !== undefined) return this.#options.hostPath(hostPath, field);
    if (local !== undefined) {
      return this.#options.hostPath({ path: local.path, type: "Directory" }, field);
    }
    const name = directoryOf(volume);
    if (name === undefined) {
      const kind = volume.spec.csi?.driver ?? "this kind";
      throw new ConfigurationError(`use ${field}`, `volumes of ${kind} are not supported`);
    }
    const group = pod.spec.securityContext?.fsGroup;
    return { path: await this.#options.directories.make(name, group) };
  }

  /** Returns why the volume cannot be used here: a path on another node is another file. */
  async #placeRefusal({ spec }: PersistentVolume): Promise<string | undefined> {
    const { client, node } = this.#options;
    const required = spec.nodeAffinity?.required;
    if (required === undefined) return undefined;
    const self = await client.resource("v1", "Node").get({ name: node });
    return compileNodeSelector(required)(self)
      ? undefined
      : `is not on this node: its spec.nodeAffinity does not match node ${node}`;
  }

  #claim(pod: Pod, name: string): Promise<PersistentVolumeClaim | undefined> {
    const { namespace } = pod.metadata;
    const claims = this.#options.client.resource("v1", "PersistentVolumeClaim");
    return ifVisible(claims.get({ namespace, name }));
  }

  #volume(name: string): Promise<PersistentVolume | undefined> {
    return ifVisible(this.#options.client.resource("v1", "PersistentVolume").get({ name }));
  }
}

/** Awaits an object; a node may not read those that none of its pods refers to. */
async function ifVisible<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}

function claimRefusal(
  pod: Pod,
  claim: PersistentVolumeClaim,
  { isEphemeral }: PodClaim,
): string | undefined {
  const { deletionTimestamp } = claim.metadata;
  const { creationTimestamp = "" } = pod.metadata;
  if (isEphemeral && !isMadeFor(pod.metadata.uid, claim)) return "was not created for this pod";
  // Pods that had the claim before may go on with it.
  if (deletionTimestamp !== undefined && deletionTimestamp < creationTimestamp) {
    return "is being deleted";
  }
  return claim.status?.phase === "Bound" && claim.spec.volumeName ? undefined : "is not bound";
}

function volumeRefusal({ spec }: PersistentVolume): string | undefined {
  if (spec.volumeMode === "Block") return "is a block device, which is not supported";
  return (spec.mountOptions ?? []).length > 0
    ? "has spec.mountOptions, which are not supported"
    : undefined;
}
