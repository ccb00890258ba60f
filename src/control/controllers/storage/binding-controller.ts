// Binds claims to volumes, has volumes made, and sees to those whose claims are gone. Claims and volumes share
// one queue with one worker, so that no volume is promised twice; keys of claims have a slash.

import { Controller } from "../../../api/client/controller.ts";
import { isAlreadyExists, isNotFound } from "../../../api/client/errors.ts";
import type { EventRecorder } from "../../../api/client/events.ts";
import type { Index, Informer } from "../../../api/client/informer.ts";
import { byNamespace } from "../../../api/client/informer.ts";
import { keyOf, splitKey } from "../../../api/client/objects.ts";
import type { ResourceClient } from "../../../api/client/resource-client.ts";
import {
  bindCompleted,
  boundByController,
  claimsOf,
  classNameOf,
  defaultClass,
  directoryDriver,
  directoryFinalizer,
  nodeOfDirectory,
  selectedNode,
} from "../../../api/kinds/storage.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../../api/types/core.ts";
import type { StorageClass } from "../../../api/types/storage.ts";
import { sameJson } from "../../../base/json/value.ts";
import type { ControllerContext } from "../context.ts";
import { WriteThrough } from "../write-through.ts";
import { planClaim } from "./claim-plan.ts";
import { directoryVolume, refusalOf } from "./provision.ts";
import { planVolume, type Reclaim, unbound } from "./volume-plan.ts";

type Volume = PersistentVolume;
type Claim = PersistentVolumeClaim;

const byClass: Index<Volume> = (volume) => [classNameOf(volume)];
const byDirectoryNode: Index<Volume> = (volume) => {
  const node = nodeOfDirectory(volume);
  return node === undefined ? [] : [node];
};
const byClaimClass: Index<Claim> = (claim) => [classNameOf(claim)];

export function bindingController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const claims = client.resource("v1", "PersistentVolumeClaim");
  const volumes = client.resource("v1", "PersistentVolume");
  const claimInformer = informers.of(claims, { indexes: [byClaimClass] });
  const volumeInformer = informers.of(volumes, { indexes: [byClass, byDirectoryNode] });
  const classes = informers.of(client.resource("storage.k8s.io/v1", "StorageClass"));
  const pods = informers.of(client.resource("v1", "Pod"), { indexes: [byNamespace] });
  const nodes = informers.of(client.resource("v1", "Node"));
  const binding = new Binding({
    claims: new WriteThrough(claims, claimInformer),
    volumes: new WriteThrough(volumes, volumeInformer),
    claimClient: claims,
    volumeClient: volumes,
    classes,
    pods,
    nodes,
    recorder: context.recorder,
  });
  const ofClass = (name: string) => claimInformer.by(byClaimClass, name).filter(isOpen).map(keyOf);
  return new Controller({
    ...context,
    sources: [
      claimInformer,
      volumeInformer,
      // A change of a volume may be what claims of its class wait for, and one of a claim what its volume does.
      volumeInformer.mapped((volume) => [...ofClass(classNameOf(volume)), ...claimKey(volume)]),
      claimInformer.mapped(({ spec }) => (spec.volumeName ? [spec.volumeName] : [])),
      classes.mapped(({ metadata }) => [...ofClass(metadata.name), ...ofClass("")]),
      nodes.mapped(({ metadata }) =>
        volumeInformer.by(byDirectoryNode, metadata.name).filter(isEnding).map(keyOf),
      ),
      pods.mapped((pod) =>
        pod.spec.nodeName
          ? []
          : claimsOf(pod).map(({ name }) => `${pod.metadata.namespace}/${name}`),
      ),
    ],
    reconcile: (key, signal) =>
      key.includes("/") ? binding.claim(key, signal) : binding.volume(key, signal),
  });
}

function isOpen({ status }: Claim): boolean {
  return status?.phase !== "Bound";
}

function isEnding({ metadata }: Volume): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function claimKey({ spec: { claimRef } }: Volume): string[] {
  return claimRef === undefined ? [] : [`${claimRef.namespace ?? ""}/${claimRef.name ?? ""}`];
}

interface BindingOptions {
  readonly claims: WriteThrough<Claim>;
  readonly volumes: WriteThrough<Volume>;
  readonly claimClient: ResourceClient<Claim>;
  readonly volumeClient: ResourceClient<Volume>;
  readonly classes: Informer<StorageClass>;
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly recorder: EventRecorder;
}

class Binding {
  readonly #options: BindingOptions;

  constructor(options: BindingOptions) {
    this.#options = options;
  }

  async claim(key: string, signal: AbortSignal): Promise<void> {
    const { claims, volumes, classes, pods, recorder } = this.#options;
    const claim = claims.get(key);
    if (claim === undefined) return;
    const step = planClaim({
      claim,
      volumeNamed: (name) => volumes.get(name),
      volumesOfClass: (name) => volumes.by(byClass, name),
      classNamed: (name) => classes.get(name),
      defaultClass: defaultClass(classes.list()),
      waitingPod: pods
        .by(byNamespace, claim.metadata.namespace)
        .find(
          (pod) =>
            !pod.spec.nodeName && claimsOf(pod).some(({ name }) => name === claim.metadata.name),
        ),
    });
    if (step.type === "bind") return this.#bind(step.volume, claim, signal);
    if (step.type === "set class") {
      const spec = { ...claim.spec, storageClassName: step.name };
      return claims.update({ ...claim, spec }, { signal });
    }
    if (step.type === "provision") return this.#provision(claim, step.storageClass, signal);
    if (step.remark !== undefined) recorder.record(claim, step.remark);
    await this.#setPhase(claim, { phase: step.phase }, signal);
  }

  async volume(name: string, signal: AbortSignal): Promise<void> {
    const { volumes } = this.#options;
    const volume = volumes.get(name);
    if (volume === undefined) return;
    await this.#dropForGoneNode(volume, signal);
    const claim = await this.#claimOf(volume, signal);
    const step = planVolume({ volume, claim });
    if (step.type === "claim") {
      await this.claim(claimKey(volume)[0] ?? "", signal);
    } else if (step.type === "unbind") {
      await volumes.update(unbound(volume), { signal });
    } else if (step.type === "phase") {
      await this.#setVolumePhase(volume, { phase: step.phase }, signal);
    } else {
      const isFailed = volume.status?.phase === "Failed";
      if (!isFailed) await this.#setVolumePhase(volume, { phase: "Released" }, signal);
      await this.#reclaim(name, step.reclaim, signal);
    }
  }

  /** Returns the claim of a volume, read anew if it seems gone: what follows may delete data. */
  async #claimOf(volume: Volume, signal: AbortSignal): Promise<Claim | undefined> {
    const [key] = claimKey(volume);
    if (key === undefined) return undefined;
    const known = this.#options.claims.get(key);
    const { uid } = volume.spec.claimRef ?? {};
    if (!uid || known?.metadata.uid === uid) return known;
    try {
      return await this.#options.claimClient.get(splitKey(key), { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #bind(volume: Volume, claim: Claim, signal: AbortSignal): Promise<void> {
    const { volumes, claims } = this.#options;
    const { namespace, name, uid, resourceVersion } = claim.metadata;
    if (volume.spec.claimRef?.uid !== uid) {
      const isOurs = volume.spec.claimRef === undefined;
      const claimRef = {
        kind: "PersistentVolumeClaim",
        apiVersion: "v1",
        namespace,
        name,
        uid: uid ?? "",
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      const metadata = isOurs ? withMark(volume.metadata, boundByController) : volume.metadata;
      await volumes.update({ ...volume, metadata, spec: { ...volume.spec, claimRef } }, { signal });
    }
    const bound = volumes.get(volume.metadata.name) ?? volume;
    await this.#setVolumePhase(bound, { phase: "Bound" }, signal);
    const isOurs = !claim.spec.volumeName;
    const marked = withMark(
      isOurs ? withMark(claim.metadata, boundByController) : claim.metadata,
      bindCompleted,
    );
    const spec = { ...claim.spec, volumeName: volume.metadata.name };
    const wanted = { ...claim, metadata: marked, spec };
    if (!sameJson(wanted, claim)) await claims.update(wanted, { signal });
    const { accessModes = [], capacity = {} } = volume.spec;
    const now = claims.get(keyOf(claim)) ?? wanted;
    const grown = now.status?.phase === "Bound" ? (now.status.capacity ?? capacity) : capacity;
    await this.#setPhase(now, { phase: "Bound", accessModes, capacity: grown }, signal);
  }

  async #provision(claim: Claim, storageClass: StorageClass, signal: AbortSignal): Promise<void> {
    const { provisioner } = storageClass;
    const { recorder, claims, nodes, volumeClient } = this.#options;
    if (provisioner !== directoryDriver) return this.#askOthers(claim, provisioner, signal);
    const { [selectedNode]: nodeName, ...annotations } = claim.metadata.annotations ?? {};
    const node = nodeName === undefined ? undefined : nodes.get(nodeName);
    const order = { claim, storageClass, node };
    const refusal = refusalOf(order);
    if (refusal !== undefined) {
      recorder.record(claim, { type: "Warning", reason: "ProvisioningFailed", message: refusal });
      if (nodeName === undefined) return;
      // Without the mark the scheduler chooses another node.
      const metadata = { ...claim.metadata, annotations };
      return claims.update({ ...claim, metadata }, { signal });
    }
    const volume = directoryVolume(order);
    try {
      await volumeClient.create(volume, { signal });
    } catch (error) {
      if (isAlreadyExists(error)) return;
      throw error;
    }
    const { name = "" } = volume.metadata;
    const message = `Successfully provisioned volume ${name}`;
    recorder.record(claim, { type: "Normal", reason: "ProvisioningSucceeded", message });
  }

  /** Marks the claim, by which provisioners of others find it. */
  async #askOthers(claim: Claim, provisioner: string, signal: AbortSignal): Promise<void> {
    const { recorder, claims } = this.#options;
    if (provisioner === "kubernetes.io/no-provisioner") {
      const message = `no volume plugin matched name: ${provisioner}`;
      recorder.record(claim, { type: "Warning", reason: "ProvisioningFailed", message });
      return;
    }
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    recorder.record(claim, { type: "Normal", reason: "ExternalProvisioning", message });
    const annotations = {
      ...claim.metadata.annotations,
      "volume.beta.kubernetes.io/storage-provisioner": provisioner,
      "volume.kubernetes.io/storage-provisioner": provisioner,
    };
    if (sameJson(annotations, claim.metadata.annotations)) return;
    await claims.update({ ...claim, metadata: { ...claim.metadata, annotations } }, { signal });
  }

  async #reclaim(name: string, then: Reclaim, signal: AbortSignal): Promise<void> {
    const { volumes, recorder } = this.#options;
    const volume = volumes.get(name);
    if (volume === undefined || then.type === "keep") return;
    if (then.type === "delete") return volumes.delete(volume, { signal });
    const { reason, message } = then;
    if (volume.status?.phase === "Failed") return;
    recorder.record(volume, { type: "Warning", reason, message });
    await this.#setVolumePhase(volume, { phase: "Failed", message }, signal);
  }

  /** Lets a volume go whose node is gone with its directory. */
  async #dropForGoneNode(volume: Volume, signal: AbortSignal): Promise<void> {
    const node = nodeOfDirectory(volume);
    const { metadata } = volume;
    const { finalizers = [] } = metadata;
    if (node === undefined || metadata.deletionTimestamp === undefined) return;
    if (!finalizers.includes(directoryFinalizer) || volume.status?.phase === "Bound") return;
    if (this.#options.nodes.get(node) !== undefined) return;
    const left = finalizers.filter((each) => each !== directoryFinalizer);
    const news = { ...volume, metadata: { ...metadata, finalizers: left } };
    await this.#options.volumes.update(news, { signal });
  }

  async #setPhase(claim: Claim, news: Claim["status"] & object, signal: AbortSignal) {
    const { accessModes: _, capacity: __, ...rest } = claim.status ?? {};
    const status = news.phase === "Bound" ? { ...rest, ...news } : { ...rest, phase: news.phase };
    if (news.phase === "Lost" && claim.status !== undefined)
      Object.assign(status, claim.status, news);
    if (sameJson(status, claim.status)) return;
    await this.#options.claims.updateStatus({ ...claim, status } as Claim, { signal });
  }

  async #setVolumePhase(volume: Volume, news: Volume["status"] & object, signal: AbortSignal) {
    if (volume.status?.phase === news.phase) return;
    const status = { ...volume.status, ...news };
    await this.#options.volumes.updateStatus({ ...volume, status }, { signal });
  }
}

function withMark<T extends { annotations?: Record<string, string> }>(
  metadata: T,
  mark: string,
): T {
  return { ...metadata, annotations: { ...metadata.annotations, [mark]: "yes" } };
}
