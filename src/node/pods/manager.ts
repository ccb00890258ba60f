// Runs the pods that the API and the static manifests assign to this node.

import { once } from "node:events";
import { podsOfNode } from "../../api/client/field-selectors.ts";
import type { Informer } from "../../api/client/informer.ts";
import { keyOf } from "../../api/client/objects.ts";
import type { ResourceClient } from "../../api/client/resource-client.ts";
import { WorkQueue } from "../../api/client/work-queue.ts";
import type { Pod } from "../../api/types/core.ts";
import { pause } from "../../base/host/clock.ts";
import { runAll } from "../../base/program/run-all.ts";
import type { ContainerState } from "../runtime/runtime.ts";
import { type PodMachine, runDirectory } from "./machine.ts";
import type { Pods, PodsOptions } from "./options.ts";
import { podContainers } from "./pod-containers.ts";
import type { PodContainers } from "./port.ts";
import type { SandboxKeeper } from "./sandbox/keeper.ts";
import { keepMirror, mirroredUid, removeMirror } from "./static/mirrors.ts";
import { collectNetwork, removeOrphans, removePods } from "./unit/clean-up.ts";
import { createPodContext, type PodContext } from "./unit/context.ts";
import { PodUnit } from "./unit/pod-unit.ts";

/**
 * The number of pods looked at in parallel. A look takes no time; the limit bounds disk reads at the start.
 */
const concurrency = 32;
/** The pause before leftovers are removed again that could not be removed. */
const sweepAgainMs = 10_000;

/** What pods stand on: their sandboxes, and the machine. */
export interface PodGround {
  readonly sandboxes: SandboxKeeper;
  readonly machine: PodMachine;
}

export class PodManager implements Pods {
  readonly name = "pods";
  readonly containers: PodContainers;
  readonly #options: PodsOptions;
  readonly #context: PodContext;
  readonly #pods: ResourceClient<Pod>;
  readonly #informer: Informer<Pod>;
  readonly #queue: WorkQueue;
  readonly #units = new Map<string, PodUnit>();
  /** Containers that an earlier agent left, by the uid of their pod, until they are taken over. */
  readonly #found = new Map<string, ContainerState[]>();
  readonly #adopted = new WeakSet<PodUnit>();
  /**
   * The uids of pods that have ended here though the informer still has them, by key. What a watch that is
   * late tells of them, even that they run, is not to start them again.
   */
  readonly #ended = new Map<string, string>();
  /** The static pods, by uid. */
  #static = new Map<string, Pod>();
  /** Resolves when the leftovers of pods that are gone have been removed. */
  readonly #swept = Promise.withResolvers<void>();
  /** Resolves when the manifests of static pods have been read. */
  readonly #manifests = Promise.withResolvers<void>();
  #memory: Promise<void> | undefined;
  #signal = AbortSignal.abort();

  constructor(options: PodsOptions, { sandboxes, machine }: PodGround) {
    const { client, informers, node, clock, random, metrics } = options;
    this.#options = options;
    this.#pods = client.resource("v1", "Pod");
    this.#informer = informers.of(this.#pods, podsOfNode(node));
    const backOff = { initialMs: 500, maximumMs: 30_000 };
    this.#queue = new WorkQueue({ name: this.name, clock, random, metrics, backOff });
    this.#context = createPodContext(options, {
      sandboxes,
      machine,
      enqueue: (uid) => this.#queue.add(uid),
      enqueueAfter: (uid, ms) => this.#queue.addAfter(uid, ms),
      neighbours: (uid) =>
        [...this.#units.values()].filter((unit) => unit.uid !== uid && unit.isHere),
      forget: (uid) => this.#forget(uid),
    });
    this.containers = podContainers(() => this.#units.values());
  }

  async run(signal: AbortSignal): Promise<void> {
    const { directories, containers, log } = this.#options;
    this.#signal = signal;
    await this.#context.machine.open(directories);
    for (const state of await containers.list()) {
      const { podUid } = state.labels;
      this.#found.set(podUid, [...(this.#found.get(podUid) ?? []), state]);
    }
    const work = (uid: string) => this.#look(uid);
    const onFailure = (uid: string, error: unknown) => log.warn("Cannot run a pod", { uid, error });
    const parts = [
      { name: "work", run: () => this.#queue.run(work, { concurrency, signal, onFailure }) },
      { name: "watch", run: (stop: AbortSignal) => this.#follow(stop) },
      this.#context.directoryVolumes,
      { name: "manifests", run: (stop: AbortSignal) => this.#followManifests(stop) },
    ];
    try {
      await runAll(parts, signal);
    } finally {
      await Promise.all([...this.#units.values()].map((unit) => unit.leave()));
      this.#context.objects.close();
      if (this.#units.size === 0) await this.#releaseMemory();
    }
  }

  /**
   * Mounts a tmpfs for the namespaces and secrets of pods, unless there is one; a node without pods needs
   * none.
   */
  #useMemory(): Promise<void> {
    const { machine, directories } = this.#context;
    this.#memory ??= machine.useMemory(runDirectory(directories));
    return this.#memory;
  }

  async #releaseMemory(): Promise<void> {
    const { machine, directories } = this.#context;
    if (this.#memory !== undefined) await machine.releaseMemory(runDirectory(directories));
  }

  /**
   * Follows this node's pods in the API. Pods still unknown once the informer has synced are gone: their
   * leftovers are removed.
   */
  async #follow(signal: AbortSignal): Promise<void> {
    const leave = this.#informer.subscribe((key) => this.#take(key));
    const aborted = endOf(signal);
    try {
      await Promise.race([
        Promise.all([
          this.#informer.synced,
          this.#context.services.synced,
          this.#manifests.promise,
        ]),
        aborted,
      ]);
      if (signal.aborted) return;
      const isWanted = (uid: string) => this.#units.has(uid);
      let left = await removeOrphans(this.#context, isWanted);
      let isCollected = await collectNetwork(this.#context);
      this.#swept.resolve();
      while ((left.length > 0 || !isCollected) && !signal.aborted) {
        await pause(this.#options.clock, sweepAgainMs, signal);
        left = await removePods(this.#context, left, isWanted);
        isCollected ||= await collectNetwork(this.#context);
      }
      await aborted;
    } finally {
      this.#swept.resolve();
      leave();
    }
  }

  async #followManifests(signal: AbortSignal): Promise<void> {
    const { directories, node, log } = this.#options;
    const { manifests: directory } = directories;
    if (directory === undefined) {
      this.#manifests.resolve();
      return endOf(signal);
    }
    const tell = (pods: readonly Pod[]) => this.#takeStatic(pods);
    await this.#context.machine.followManifests({ directory, node, log }, tell, signal);
  }

  #forget(uid: string): void {
    const unit = this.#units.get(uid);
    const key = unit === undefined ? "" : keyOf(unit.pod);
    this.#units.delete(uid);
    if (this.#informer.get(key)?.metadata.uid === uid) this.#ended.set(key, uid);
    // A mirror pod may still stand for it in the API.
    this.#queue.add(uid);
  }

  #take(key: string): void {
    const pod = this.#informer.get(key);
    const uid = pod && (mirroredUid(pod) ?? pod.metadata.uid ?? "");
    if (uid !== undefined && this.#ended.get(key) === uid) return;
    this.#ended.delete(key);
    for (const unit of this.#units.values()) {
      const isOther = keyOf(unit.pod) === key && unit.uid !== uid;
      if (isOther && !this.#static.has(unit.uid)) {
        unit.object.markGone();
        this.#queue.add(unit.uid);
      } else if (isOther) this.#queue.add(unit.uid);
    }
    if (pod === undefined || uid === undefined) return;
    if (mirroredUid(pod) === undefined) this.#unitOf(uid, pod).update(pod);
    this.#queue.add(uid);
  }

  #takeStatic(pods: readonly Pod[]): void {
    this.#manifests.resolve();
    const before = this.#static;
    this.#static = new Map(pods.map((pod) => [pod.metadata.uid ?? "", pod]));
    for (const [uid, pod] of this.#static) {
      this.#unitOf(uid, pod).object.mirrorAs(undefined);
      this.#queue.add(uid);
    }
    for (const uid of before.keys()) {
      if (this.#static.has(uid)) continue;
      this.#units.get(uid)?.object.markGone();
      this.#queue.add(uid);
    }
  }

  #unitOf(uid: string, pod: Pod): PodUnit {
    const unit = this.#units.get(uid) ?? new PodUnit(this.#context, pod, this.#signal);
    this.#units.set(uid, unit);
    return unit;
  }

  async #look(uid: string): Promise<void> {
    const pod = this.#static.get(uid);
    // A removed manifest may come back before its earlier pod has ended.
    const unit = pod === undefined ? this.#units.get(uid) : this.#unitOf(uid, pod);
    if (unit === undefined) return this.#removeStrayMirror(uid);
    if (!this.#adopted.has(unit)) {
      await this.#useMemory();
      await unit.adopt(this.#found.get(uid) ?? []);
      this.#adopted.add(unit);
      this.#found.delete(uid);
    }
    // The clean-up of leftovers must be over before anything is made that it could take for one. Static pods
    // do not wait, since they must start without the API.
    if (pod === undefined) await this.#swept.promise;
    const mirror = pod && this.#informer.get(keyOf(pod));
    if (pod !== undefined) {
      unit.object.mirrorAs(
        mirror !== undefined && mirroredUid(mirror) === uid ? mirror : undefined,
      );
    }
    unit.sync();
    if (pod !== undefined && this.#informer.isSynced) await keepMirror(this.#pods, pod, mirror);
  }

  /** Removes the mirror pod of a static pod that no longer exists. */
  async #removeStrayMirror(uid: string): Promise<void> {
    const stray = this.#informer.list().find((pod) => mirroredUid(pod) === uid);
    if (stray !== undefined) await removeMirror(this.#pods, stray);
  }
}

async function endOf(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
