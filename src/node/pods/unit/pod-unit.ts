// A pod on this node: its state, and how decisions about it are carried out. Whatever takes time runs in the
// background; when it is done, the pod is looked at again.

import type { Remark } from "../../../api/client/events.ts";
import { isFinishedPod } from "../../../api/kinds/pod.ts";
import type { Pod, PodIP, PodStatus } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import { describeError } from "../../../base/program/errors.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import { podIPsOf } from "../addresses.ts";
import { refusalOf } from "../admission/admit.ts";
import type { Refusal } from "../admission/refusal.ts";
import { type Action, decide } from "../decide/decide.ts";
import { type Slot, slotsOf } from "../decide/slots.ts";
import type { PodView } from "../decide/view.ts";
import { PodDisk } from "../disk/pod-disk.ts";
import type { PodFacts } from "../environment/facts.ts";
import { Allocation } from "../resize/allocation.ts";
import type { Amounts } from "../resize/resources.ts";
import type { PodFile } from "../sandbox/files.system.ts";
import type { SandboxRecord } from "../sandbox/record.ts";
import { statusOf } from "../status/status.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import { ContainerUnit } from "./container-unit.ts";
import type { PodContext } from "./context.ts";
import { knownStates } from "./history.ts";
import { PodObject } from "./pod-object.ts";
import type { PodParts } from "./pod-parts.ts";
import { PodSandbox } from "./pod-sandbox.ts";
import { PodStorage } from "./pod-storage.ts";
import { Stage } from "./stage.ts";
import { Tasks } from "./tasks.ts";

const retryMs = 10_000;
/** The longest pause between two attempts to end a pod: it holds addresses that others may wait for. */
const longestEndMs = 5_000;

export class PodUnit implements PodParts {
  readonly context: PodContext;
  readonly object: PodObject;
  readonly signal: AbortSignal;
  readonly #storage: PodStorage;
  readonly #place: PodSandbox;
  readonly #disk: PodDisk;
  readonly #containers = new Map<string, ContainerUnit>();
  readonly #sandboxStage: Stage;
  readonly #volumeStage: Stage;
  readonly #end: Stage;
  readonly #tasks = new Tasks();
  /** The time at which the pod came to this node. */
  readonly #since: number;
  /** The reason why the node rejects or evicts the pod. */
  #refusal: Refusal | undefined;
  #isAccepted = false;
  #allocation: Allocation;

  constructor(context: PodContext, pod: Pod, signal: AbortSignal) {
    const { clock } = context;
    this.context = context;
    this.signal = signal;
    this.object = new PodObject(context, pod);
    this.#allocation = Allocation.of(pod);
    this.#since = Date.parse(pod.status?.startTime ?? "") || clock.now();
    this.#storage = new PodStorage(context, this.uid, this);
    this.#place = new PodSandbox(this, this.uid);
    this.#disk = new PodDisk(context.commands, this);
    this.#sandboxStage = new Stage(clock, { reason: "FailedCreatePodSandBox" });
    this.#volumeStage = new Stage(clock, { reason: "FailedMount" });
    this.#end = new Stage(clock, { reason: "FailedKillPod", longestDelayMs: longestEndMs });
  }

  get uid(): string {
    return this.object.uid;
  }

  get pod(): Pod {
    return this.object.latest;
  }

  get sandbox(): SandboxRecord | undefined {
    return this.#place.record;
  }

  get files(): readonly PodFile[] {
    return this.#storage.files;
  }

  get volumes(): PodVolumes {
    return this.#storage.volumes;
  }

  get messages(): string {
    return this.#storage.messages;
  }

  get podIPs(): readonly PodIP[] {
    const { hostIPs, firstFamily } = this.context;
    if (this.pod.spec.hostNetwork === true) return hostIPs;
    return podIPsOf(this.sandbox?.addresses ?? [], firstFamily);
  }

  get facts(): PodFacts {
    const { hostIPs, allocatable = {} } = this.context;
    const text = ({ ip }: { ip: string }) => ip;
    return {
      pod: this.pod,
      podIPs: this.podIPs.map(text),
      hostIPs: hostIPs.map(text),
      allocatable,
    };
  }

  /** Whether the node has accepted the pod, and its containers have not ended for good. */
  get isHere(): boolean {
    const isAccepted = this.#isAccepted || this.pod.status?.phase === "Running";
    return isAccepted && !isFinishedPod(this.pod);
  }

  /** The amounts that the pod was granted. */
  get granted(): Amounts {
    return this.#allocation.requested(this.pod);
  }

  /** Returns the containers of one name, the latest first. */
  containerStates(name: string): readonly ContainerState[] {
    return this.#containers.get(name)?.states ?? [];
  }

  /** Takes over the sandbox and the containers that an earlier agent left. */
  async adopt(found: readonly ContainerState[]): Promise<void> {
    const { isFound, isAlive } = await this.#place.adopt();
    if (isAlive) this.#sandboxStage.adopt();
    const { pod } = this;
    if (!isFound && found.length === 0) this.#admit();
    this.#isAccepted = this.#refusal === undefined;
    for (const slot of slotsOf(pod.spec)) {
      const states = knownStates(pod, slot.name, { found, now: this.context.clock.now() });
      await this.#container(slot).adopt(states, slot, pod);
    }
  }

  update(pod: Pod): void {
    const before = this.pod;
    this.#storage.compare(before, pod);
    this.object.replace(pod);
    const old = new Map(slotsOf(before.spec).map((slot) => [slot.name, slot.container.image]));
    for (const { name, container } of slotsOf(pod.spec)) {
      if (old.has(name) && old.get(name) !== container.image) this.#containers.get(name)?.renew();
    }
  }

  /** Decides what is to be done for the pod, and starts it. */
  sync(): void {
    if (this.#end.state !== "absent") return;
    const now = this.context.clock.now();
    this.#allocate();
    const { actions, againAt } = decide(this.#view, now);
    for (const action of actions) this.#launch(this.#carryOut(action));
    if (againAt !== undefined) this.context.enqueueAfter(this.uid, againAt - now);
    this.#keepVolumes(now);
    this.#weighDisk(now);
    if (this.#end.state === "absent") this.object.offer(this.#status);
  }

  /** Stops looking after the pod; resolves when no task is under way any more. */
  async leave(): Promise<void> {
    for (const container of this.#containers.values()) container.leave();
    this.volumes.close();
    await this.#tasks.settled();
  }

  readonly changed = (): void => this.context.enqueue(this.uid);

  readonly whenFree: PodParts["whenFree"] = (work, options) =>
    this.context.busy.run(work, { signal: this.signal, ...options, since: this.#since });

  readonly processesFor: PodParts["processesFor"] = (slot) =>
    this.#place.processes.pathFor(slot, (name) => this.containerStates(name)[0]);

  readonly loseSandbox = (): void => this.#sandboxStage.lose();

  readonly remark = (type: Remark["type"], reason: string, message: string): void =>
    this.object.remark({ type, reason, message });

  get #view(): PodView {
    const { pod } = this;
    const slots = slotsOf(pod.spec);
    return {
      pod,
      isGone: this.object.isGone,
      ...defined({ refusal: this.#refusal }),
      since: this.#since,
      sandbox: this.#sandboxStage.view,
      volumes: this.#volumeStage.view,
      podIPs: this.podIPs,
      containers: new Map(
        slots.map((slot) => {
          const granted = this.#allocation.grantedTo(slot);
          return [slot.name, this.#container(slot).view(granted)];
        }),
      ),
      delays: this.context.delays,
      ...defined({ pendingResize: this.#allocation.pending }),
    };
  }

  get #status(): PodStatus {
    const { hostIPs, clock } = this.context;
    return statusOf(this.#view, { hostIPs, now: clock.now() });
  }

  /** Grants changed requests and limits. A pod that waits for room is looked at again now and then. */
  #allocate(): void {
    const { allocatable = {}, neighbours, enqueueAfter } = this.context;
    const others = () => neighbours(this.uid).map(({ granted }) => granted);
    const news = this.#allocation.consider(this.pod, { allocatable, others });
    if (news !== undefined) this.remark("Warning", `Resize${news.reason}`, news.message);
    if (this.#allocation.pending?.reason === "Deferred") enqueueAfter(this.uid, retryMs);
  }

  /** Runs admission once, for a pod that is new on the node: changed settings do not end running pods. */
  #admit(): void {
    const { admission, neighbours } = this.context;
    const others = neighbours(this.uid).map(({ pod }) => pod);
    this.#refusal = refusalOf(this.pod, admission, others);
    if (this.#refusal === undefined || isFinishedPod(this.pod)) return;
    const { reason, message } = this.#refusal;
    this.remark("Warning", reason, message);
    // The log is for static pods, which may have no mirror pod that the event could be recorded for.
    this.#complain("Cannot take a pod", new Error(`${reason}: ${message}`));
  }

  #container({ name }: Slot): ContainerUnit {
    const found = this.#containers.get(name) ?? new ContainerUnit(this, name);
    this.#containers.set(name, found);
    return found;
  }

  #launch(work: Promise<void>): void {
    this.#tasks.follow(work, (error) => {
      if (this.signal.aborted) return;
      this.#complain("Cannot carry out a step of a pod", error);
      this.context.enqueueAfter(this.uid, retryMs);
    });
  }

  #complain(message: string, error: unknown): void {
    const { namespace, name } = this.pod.metadata;
    this.context.log.warn(message, { pod: `${namespace}/${name}`, uid: this.uid, error });
  }

  async #carryOut(action: Action): Promise<void> {
    switch (action.type) {
      case "start":
        return this.#container(action.slot).start(
          this.#allocation.grantedTo(action.slot),
          action.attempt,
        );
      case "resize":
        return this.#container(action.slot).resize(this.#allocation.grantedTo(action.slot));
      case "stop":
        return this.#container(action.slot).stop(action.slot, action.graceSeconds);
      case "kill":
        return this.#container(action.slot).kill();
      case "abandon":
        return this.#container(action.slot).abandon();
      case "make-sandbox":
        return this.#make(this.#sandboxStage, () => this.#makeSandbox());
      case "make-volumes":
        return this.#make(this.#volumeStage, () => this.#storage.make(this.facts));
      case "remove-sandbox":
        await this.#sandboxStage.unmake(() => this.#place.remove());
        return this.changed();
      case "finish":
        return this.#make(this.#end, () => this.#finish());
    }
  }

  async #make(stage: Stage, work: () => Promise<void>): Promise<void> {
    const error = await stage.make(work);
    if (error !== undefined && !this.signal.aborted) {
      this.remark("Warning", stage.reason, describeError(error));
      this.#complain("Cannot prepare or end a pod", error);
    }
    const { failure } = stage.view;
    if (failure === undefined) return this.changed();
    this.context.enqueueAfter(this.uid, failure.retryAt - this.context.clock.now());
  }

  async #makeSandbox(): Promise<void> {
    await this.#place.make();
    // The pod's files contain its addresses, which may have changed.
    this.#volumeStage.lose();
  }

  /** Refreshes the volumes when the objects they show have changed, or tokens need renewal. */
  #keepVolumes(now: number): void {
    const stages = [this.#volumeStage, this.#sandboxStage];
    const { refreshAt } = this.#storage;
    if (refreshAt === undefined || stages.some(({ state }) => state !== "ready")) return;
    if (refreshAt <= now) this.#launch(this.#storage.refresh(this.facts));
    else this.context.enqueueAfter(this.uid, refreshAt - now);
  }

  /** Evicts the pod when it keeps more on disk than a limit says, which is looked at now and then. */
  #weighDisk(now: number): void {
    const dueAt = this.#disk.dueAt(this.pod.spec);
    const isOver = this.#refusal !== undefined || isFinishedPod(this.pod);
    if (dueAt === undefined || isOver || this.#volumeStage.state !== "ready") return;
    if (dueAt <= now) {
      this.#disk.postpone(now);
      this.#launch(this.#evictByExcess());
    }
    this.context.enqueueAfter(this.uid, this.#disk.nextAt - now);
  }

  async #evictByExcess(): Promise<void> {
    const refusal = await this.#disk.excess(this.pod.spec);
    if (refusal === undefined || this.#refusal !== undefined) return;
    this.#refusal = refusal;
    this.remark("Warning", refusal.reason, refusal.message);
    this.changed();
  }

  /**
   * Ends a pod whose containers have ended: writes the last status, removes everything from the node, then
   * lets the object go.
   */
  async #finish(): Promise<void> {
    await this.object.settle(this.#status);
    await this.#storage.close();
    await this.whenFree(() => this.#removeAll(), { step: "removal" });
    await this.object.release();
    this.context.forget(this.uid);
  }

  async #removeAll(): Promise<void> {
    for (const container of this.#containers.values()) await container.remove();
    await this.#place.removeTraces();
  }
}
