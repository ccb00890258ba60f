// Assigns a node to every unscheduled pod. Decisions are made one after the other on a state that includes
// earlier decisions, whether or not the API has them yet; writes to the API run beside.

import { setImmediate as breathe } from "node:timers/promises";
import type { Informer } from "../../../api/client/informer.ts";
import { isFinishedPod } from "../../../api/kinds/pod.ts";
import type { Namespace, Node, Pod } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Log } from "../../../base/program/log.ts";
import { chooseNode, fitsNode } from "./choose-node.ts";
import { ClusterState, type NodeState } from "./cluster-state.ts";
import { Nominations } from "./nominations.ts";
import { needsOf } from "./pod-needs.ts";
import { type Budget, planPreemption } from "./preemption.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";
import type { Storage } from "./volumes.ts";

export interface SchedulerOptions {
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly namespaces: Informer<Namespace>;
  readonly storage?: SchedulerStorage;
  /** Returns the disruption budgets that preemption respects where it can. */
  readonly budgets?: () => readonly Budget[];
  /** Binds a pod; resolves to whether it is on the node now, and throws if that is unknown. */
  bind(pod: Pod, node: string, signal: AbortSignal): Promise<boolean>;
  /** Tells users that no node fits the pod. */
  refuse(pod: Pod, message: string, signal: AbortSignal): Promise<void>;
  /** Has volumes of the pod bound or made for the node; resolves when it has them. */
  readonly bindVolumes?: (pod: Pod, node: string, signal: AbortSignal) => Promise<void>;
  /** Evicts pods to make room on a node, which the pod is nominated for. */
  readonly preempt?: (
    pod: Pod,
    plan: { node: string; victims: readonly Pod[] },
    signal: AbortSignal,
  ) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The claims and volumes, and a way to hear of their changes. */
export interface SchedulerStorage extends Storage {
  readonly synced: Promise<unknown>;
  subscribe(changed: () => void): () => void;
}

export const schedulerName = "default-scheduler";
/** The most pods that are being bound at once. */
const breadth = 32;
/** How long decisions may block the event loop. */
const turnMs = 5;

export class Scheduler {
  readonly name = "scheduler";
  readonly #options: SchedulerOptions;
  readonly #log: Log;
  #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  /** The pods that were bound here, but not yet seen as bound: key → uid. */
  readonly #assumed = new Map<string, string>();
  /** The queued pods as text, without their status, to detect changes. */
  readonly #seen = new Map<string, string>();
  readonly #writing = new Set<Promise<void>>();
  /** The pods that wait for their volumes: they may take long, and keep nobody else waiting. */
  readonly #binding = new Set<Promise<void>>();
  readonly #nominations = new Nominations();
  #wake: () => void = () => undefined;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: SchedulerOptions) {
    const { clock, random, log } = options;
    this.#options = options;
    this.#log = log.child({ controller: this.name });
    this.#queue = new SchedulingQueue({ clock, random, onReady: () => this.#wake() });
  }

  /** Resolves when every pod that fits is placed, and the others wait. */
  idle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { pods, nodes, namespaces, storage } = this.#options;
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const synced = Promise.all([
      pods.synced,
      nodes.synced,
      namespaces.synced,
      storage?.synced ?? Promise.resolve(),
    ]);
    await Promise.race([synced, aborted]);
    if (signal.aborted) return;
    this.#state = new ClusterState((name) => namespaces.get(name)?.metadata.labels, storage);
    const leave = [
      nodes.subscribe((name) => this.#onNode(name)),
      pods.subscribe((key) => this.#onPod(key)),
      namespaces.subscribe(() => this.#queue.wake("namespace")),
      storage?.subscribe(() => this.#queue.wake("storage")) ?? (() => undefined),
    ];
    try {
      while (!signal.aborted) {
        await this.#work(signal);
        this.#settle();
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        if (!this.#canWork()) await Promise.race([promise, aborted]);
      }
    } finally {
      for (const each of leave) each();
      await Promise.all([...this.#writing, ...this.#binding]);
      this.#queue.clear();
      this.#assumed.clear();
      this.#seen.clear();
      this.#settle();
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let begun = clock.monotonic();
    while (this.#canWork() && !signal.aborted) {
      const key = this.#queue.take();
      if (key === undefined) return;
      this.#schedule(key, signal);
      if (clock.monotonic() - begun < turnMs) continue;
      await breathe();
      begun = clock.monotonic();
    }
  }

  #canWork(): boolean {
    return this.#queue.ready > 0 && this.#writing.size < breadth;
  }

  #schedule(key: string, signal: AbortSignal): void {
    const pod = this.#options.pods.get(key);
    if (pod === undefined) {
      this.#queue.remove(key);
      return;
    }
    const needs = needsOf(pod);
    const choice = this.#nominations.during(needs, this.#state, () =>
      chooseNode(needs, this.#state, this.#options.random),
    );
    if (choice.node === undefined) {
      this.#queue.wait(key, choice.liftedBy);
      this.#write(key, () => this.#options.refuse(pod, choice.message, signal));
      this.#preempt(pod, choice.crowded, signal);
      return;
    }
    const { node } = choice;
    this.#state.place(needs, node);
    this.#assumed.set(key, needs.uid);
    if (needs.claims.length > 0) this.#bindWithVolumes(pod, node, signal);
    else this.#write(key, () => this.#bind(pod, node, signal));
  }

  #preempt(pod: Pod, crowded: readonly NodeState[], signal: AbortSignal): void {
    const needs = needsOf(pod);
    const { preempt, budgets = () => [] } = this.#options;
    if (preempt === undefined || !needs.mayPreempt || crowded.length === 0) return;
    // The pods that were told to go make room when they are gone.
    if (this.#nominations.isWaiting(needs, this.#state)) return;
    const plan = this.#nominations.during(needs, this.#state, () =>
      planPreemption(needs, this.#state, {
        nodes: crowded,
        budgets: budgets(),
        fits: (node) => fitsNode(needs, node, this.#state),
      }),
    );
    if (plan === undefined) return;
    const victims = plan.victims.flatMap(({ key }) => this.#options.pods.get(key) ?? []);
    this.#nominations.set(needs, plan.node);
    this.#write(needs.key, () => preempt(pod, { node: plan.node, victims }, signal));
  }

  /** Binds a pod after its volumes, without counting among the writes under way. */
  #bindWithVolumes(pod: Pod, node: string, signal: AbortSignal): void {
    const { bindVolumes } = this.#options;
    const binding = this.#bind(pod, node, signal, () => bindVolumes?.(pod, node, signal)).finally(
      () => this.#binding.delete(binding),
    );
    this.#binding.add(binding);
  }

  async #bind(
    pod: Pod,
    node: string,
    signal: AbortSignal,
    before: () => Promise<void> | undefined = () => undefined,
  ): Promise<void> {
    const { key, uid } = needsOf(pod);
    let isBound = false;
    try {
      await before();
      isBound = await this.#options.bind(pod, node, signal);
    } catch (error) {
      if (!signal.aborted) this.#log.warn("Cannot bind", { key, node, error });
    }
    // The watch may have reported the pod before the response came.
    if (isBound || this.#assumed.get(key) !== uid) return;
    this.#assumed.delete(key);
    this.#state.remove(key);
    this.#queue.retry(key);
    this.#queue.wake("pod gone");
  }

  #write(key: string, write: () => Promise<void>): void {
    const writing = write()
      .catch((error: unknown) => this.#log.warn("Cannot tell of a pod", { key, error }))
      .finally(() => {
        this.#writing.delete(writing);
        this.#wake();
      });
    this.#writing.add(writing);
  }

  #onNode(name: string): void {
    const node = this.#options.nodes.get(name);
    if (node === undefined) this.#state.removeNode(name);
    else if (this.#state.setNode(node)) this.#queue.wake("node");
  }

  #onPod(key: string): void {
    const pod = this.#options.pods.get(key);
    if (pod === undefined || isFinishedPod(pod)) this.#onGone(key);
    else if (pod.spec.nodeName) this.#onPlaced(key, pod, pod.spec.nodeName);
    else this.#onPending(key, pod);
  }

  #onGone(key: string): void {
    const wasPlaced = this.#state.placeOf(key) !== undefined;
    this.#leaveQueue(key);
    this.#state.remove(key);
    if (wasPlaced) this.#queue.wake("pod gone");
  }

  #onPlaced(key: string, pod: Pod, nodeName: string): void {
    const before = this.#state.placeOf(key);
    this.#leaveQueue(key);
    this.#state.place(needsOf(pod), nodeName);
    if (before?.nodeName !== nodeName) this.#queue.wake("pod placed");
    else if (!before.needs.isTerminating && needsOf(pod).isTerminating) {
      this.#queue.wake("pod gone");
    }
  }

  #onPending(key: string, pod: Pod): void {
    const { metadata, spec } = pod;
    const isOurs =
      metadata.deletionTimestamp === undefined &&
      (spec.schedulerName ?? schedulerName) === schedulerName &&
      (spec.schedulingGates ?? []).length === 0;
    if (!isOurs) {
      this.#onGone(key);
      return;
    }
    if (this.#assumed.get(key) === metadata.uid) return;
    if (this.#assumed.has(key)) this.#onGone(key);
    const look = JSON.stringify([metadata.uid, metadata.labels, spec]);
    if (this.#queue.has(key) && this.#seen.get(key) === look) return;
    this.#seen.set(key, look);
    const { nominatedNodeName } = pod.status ?? {};
    if (nominatedNodeName) this.#nominations.set(needsOf(pod), nominatedNodeName);
    this.#queue.add(key, needsOf(pod).priority);
  }

  #leaveQueue(key: string): void {
    this.#assumed.delete(key);
    this.#seen.delete(key);
    this.#nominations.delete(key);
    this.#queue.remove(key);
  }

  #isIdle(): boolean {
    return this.#queue.ready === 0 && this.#writing.size === 0;
  }

  #settle(): void {
    if (!this.#isIdle()) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}
