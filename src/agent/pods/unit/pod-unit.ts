// One pod on this node: what is known of it, and how decisions about it are carried out. Whatever
// takes time runs beside; when it is done, the pod is looked at again.

import { join } from "node:path";
import type { Pod, PodIP } from "../../../api/types/core.ts";
import { isConflict, isNotFound } from "../../../client/errors.ts";
import type { Remark } from "../../../client/events.ts";
import { Address } from "../../../net/address.ts";
import { describeError } from "../../../program/errors.ts";
import type { ContainerState } from "../../runtime/port.ts";
import { podIPsOf } from "../addresses.ts";
import { type Action, decide } from "../decide/decide.ts";
import { type Slot, slotsOf } from "../decide/slots.ts";
import type { PodView } from "../decide/view.ts";
import type { PodFacts } from "../environment/facts.ts";
import { type PodFile, writePodFiles } from "../sandbox/files.ts";
import type { SandboxRecord } from "../sandbox/record.ts";
import { statusOf } from "../status/status.ts";
import { PodVolumes } from "../volumes/pod-volumes.ts";
import { PodTokens } from "../volumes/tokens.ts";
import { removeTraces } from "./clean-up.ts";
import { ContainerUnit } from "./container-unit.ts";
import { dataDirectory, type PodContext, runDirectory } from "./context.ts";
import { remembered } from "./history.ts";
import type { PodParts } from "./pod-parts.ts";
import { Stage } from "./stage.ts";
import { StatusWriter } from "./status-writer.ts";

const refreshRetryMs = 10_000;

export class PodUnit implements PodParts {
  readonly context: PodContext;
  readonly uid: string;
  readonly signal: AbortSignal;
  readonly volumes: PodVolumes;
  readonly messages: string;
  readonly #containers = new Map<string, ContainerUnit>();
  readonly #sandboxStage: Stage;
  readonly #volumeStage: Stage;
  readonly #end: Stage;
  readonly #writer: StatusWriter;
  readonly #tasks = new Set<Promise<void>>();
  readonly #since: number;
  #given: Pod;
  /** What stands for a static pod in the API; nothing until it is there. */
  #mirror: Pod | undefined;
  #isStatic = false;
  #isGone = false;
  #isStale = false;
  #sandbox: SandboxRecord | undefined;
  #files: readonly PodFile[] = [];

  constructor(context: PodContext, pod: Pod, signal: AbortSignal) {
    const { clock, client, commands, directories, objects } = context;
    this.context = context;
    this.signal = signal;
    this.#given = pod;
    this.uid = pod.metadata.uid ?? "";
    this.#since = Date.parse(pod.status?.startTime ?? "") || clock.now();
    this.messages = join(dataDirectory(directories), this.uid, "messages");
    this.volumes = new PodVolumes({
      commands,
      objects,
      tokens: new PodTokens(client, clock),
      memory: join(this.#runDirectory, "volumes"),
      disk: join(dataDirectory(directories), this.uid, "volumes"),
      changed: () => {
        this.#isStale = true;
        this.changed();
      },
    });
    this.#sandboxStage = new Stage(clock, "FailedCreatePodSandBox");
    this.#volumeStage = new Stage(clock, "FailedMount");
    this.#end = new Stage(clock, "FailedKillPod");
    this.#writer = new StatusWriter({
      pods: client.resource("v1", "Pod"),
      clock,
      changed: (afterMs) => context.enqueueAfter(this.uid, afterMs),
      failed: (error) =>
        context.log.warn("Cannot write the status of a pod", { ...this.#name, error }),
    });
  }

  /** As it is to the best of our knowledge. */
  get pod(): Pod {
    if (!this.#isStatic) return this.#writer.latest(this.#given);
    const status = this.#mirror && this.#writer.latest(this.#mirror).status;
    return status === undefined ? this.#given : { ...this.#given, status };
  }

  get sandbox(): SandboxRecord | undefined {
    return this.#sandbox;
  }

  get files(): readonly PodFile[] {
    return this.#files;
  }

  get podIPs(): readonly PodIP[] {
    const { hostIPs, firstFamily } = this.context;
    if (this.#given.spec.hostNetwork === true) return hostIPs;
    return podIPsOf(this.#sandbox?.addresses ?? [], firstFamily);
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

  get view(): PodView {
    const { pod } = this;
    return {
      pod,
      isGone: this.#isGone,
      since: this.#since,
      sandbox: this.#sandboxStage.view,
      volumes: this.#volumeStage.view,
      podIPs: this.podIPs,
      containers: new Map(
        slotsOf(pod.spec).map((slot) => [slot.name, this.#container(slot).view(slot)]),
      ),
      delays: this.context.delays,
    };
  }

  /** Of one name, the latest first. */
  containerStates(name: string): readonly ContainerState[] {
    return this.#containers.get(name)?.states ?? [];
  }

  /** Takes over what is left of it on the node. */
  async adopt(states: readonly ContainerState[]): Promise<void> {
    const { sandboxes, clock } = this.context;
    const record = await sandboxes.find(this.uid);
    if (record !== undefined && (await sandboxes.isAlive(record))) {
      this.#sandbox = record;
      this.#sandboxStage.adopt();
    }
    const { pod } = this;
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
    const told = [...initContainerStatuses, ...containerStatuses];
    const { uid: podUid = "", namespace: podNamespace, name: podName } = pod.metadata;
    for (const slot of slotsOf(pod.spec)) {
      const own = states.filter(({ labels }) => labels.container === slot.name);
      const status = told.find(({ name }) => name === slot.name);
      const labels = {
        podUid,
        podNamespace,
        podName,
        container: slot.name,
        kind: "container" as const,
      };
      const lost = status && remembered(status, labels, clock.now());
      const known = own.length > 0 || lost === undefined ? own : [lost];
      await this.#container(slot).adopt(known, slot, pod);
    }
  }

  update(pod: Pod): void {
    const before = new Map(slotsOf(this.#given.spec).map((slot) => [slot.name, slot]));
    if (!sameMap(this.#given.metadata.labels, pod.metadata.labels)) this.#isStale = true;
    if (!sameMap(this.#given.metadata.annotations, pod.metadata.annotations)) this.#isStale = true;
    this.#given = pod;
    for (const { name, container } of slotsOf(pod.spec)) {
      const old = before.get(name);
      if (old !== undefined && old.container.image !== container.image) {
        this.#containers.get(name)?.renew();
      }
    }
  }

  /** It comes from a file; in the API there is only its image, if that. */
  mirrorAs(mirror: Pod | undefined): void {
    this.#isStatic = true;
    this.#mirror = mirror;
  }

  markGone(): void {
    this.#isGone = true;
  }

  /** Looks at the pod and begins what is to be done. */
  sync(): void {
    if (this.#end.state !== "absent") return;
    const { clock, enqueueAfter } = this.context;
    const now = clock.now();
    const { actions, againAt } = decide(this.view, now);
    for (const action of actions) this.#launch(this.#carryOut(action));
    if (againAt !== undefined) enqueueAfter(this.uid, againAt - now);
    this.#refresh(now);
    const object = this.#isStatic ? this.#mirror : this.#given;
    if (object === undefined || this.#isGone || this.#end.state !== "absent") return;
    this.#writer.offer(object, statusOf(this.view, { hostIPs: this.context.hostIPs, now }));
  }

  /** Resolves when nothing is under way any more. */
  async leave(): Promise<void> {
    for (const container of this.#containers.values()) container.leave();
    this.volumes.close();
    await Promise.allSettled(this.#tasks);
  }

  readonly changed = (): void => this.context.enqueue(this.uid);

  readonly loseSandbox = (): void => this.#sandboxStage.lose();

  readonly remark = (type: Remark["type"], reason: string, message: string): void => {
    const object = this.#isStatic ? this.#mirror : this.#given;
    if (object !== undefined) this.context.remark(object, { type, reason, message });
  };

  get #runDirectory(): string {
    return join(runDirectory(this.context.directories), this.uid);
  }

  get #name() {
    const { namespace, name } = this.#given.metadata;
    return { pod: `${namespace}/${name}`, uid: this.uid };
  }

  #container({ name }: Slot): ContainerUnit {
    const found = this.#containers.get(name) ?? new ContainerUnit(this, name);
    this.#containers.set(name, found);
    return found;
  }

  #launch(work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => {
        if (this.signal.aborted) return;
        this.context.log.warn("Cannot carry out a step of a pod", { ...this.#name, error });
        this.context.enqueueAfter(this.uid, refreshRetryMs);
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  async #carryOut(action: Action): Promise<void> {
    switch (action.type) {
      case "start":
        return this.#container(action.slot).start(action.slot, action.attempt);
      case "stop":
        return this.#container(action.slot).stop(action.slot, action.graceSeconds);
      case "kill":
        return this.#container(action.slot).kill();
      case "make-sandbox":
        return this.#make(this.#sandboxStage, () => this.#makeSandbox());
      case "make-volumes":
        return this.#make(this.#volumeStage, () => this.#makeVolumes());
      case "remove-sandbox":
        return this.#removeSandbox();
      case "finish":
        return this.#finish();
    }
  }

  async #make(stage: Stage, work: () => Promise<void>): Promise<void> {
    const error = await stage.make(work);
    if (error !== undefined && !this.signal.aborted) {
      this.remark("Warning", stage.reason, describeError(error));
      this.context.log.warn("Cannot prepare a pod", { ...this.#name, error });
    }
    this.changed();
  }

  async #makeSandbox(): Promise<void> {
    const { sandboxes } = this.context;
    const { pod, signal } = this;
    // What is left of the one before, if there was one.
    await sandboxes.remove(this.uid);
    const had = pod.status?.podIPs ?? [];
    const preferred = had.flatMap(({ ip }) => Address.tryParse(ip) ?? []);
    this.#sandbox = await sandboxes.make(pod, { preferred, signal });
    // Files name addresses, which may be others now.
    this.#volumeStage.lose();
  }

  async #makeVolumes(): Promise<void> {
    const { facts } = this;
    this.#files = await writePodFiles(facts.pod, {
      directory: join(this.#runDirectory, "etc"),
      addresses: facts.podIPs,
      dns: this.context.dns,
    });
    this.#isStale = false;
    await this.volumes.prepare(facts.pod.spec.volumes ?? [], facts);
  }

  /** Volumes follow what they show. */
  #refresh(now: number): void {
    const { renewAt } = this.volumes;
    if (this.#volumeStage.state !== "ready" || this.#sandboxStage.state !== "ready") return;
    if (renewAt !== undefined && renewAt > now) {
      this.context.enqueueAfter(this.uid, renewAt - now);
    }
    if (!this.#isStale && (renewAt === undefined || renewAt > now)) return;
    this.#isStale = false;
    this.#launch(this.volumes.prepare(this.pod.spec.volumes ?? [], this.facts));
  }

  async #removeSandbox(): Promise<void> {
    await this.#sandboxStage.unmake(() => this.context.sandboxes.remove(this.uid));
    this.changed();
  }

  /** Nothing runs any more: the last status, then nothing is left, then the object may go. */
  async #finish(): Promise<void> {
    const error = await this.#end.make(async () => {
      const { context, uid } = this;
      const object = this.#isStatic ? this.#mirror : this.#given;
      const isTold = object !== undefined && !this.#isGone;
      const { hostIPs, clock } = context;
      const status = statusOf(this.view, { hostIPs, now: clock.now() });
      if (isTold) await this.#writer.settle(object, status);
      this.volumes.close();
      for (const container of this.#containers.values()) await container.remove();
      await removeTraces(context, uid);
      if (isTold && !this.#isStatic) await this.#deleteObject(object);
      context.forget(uid);
    });
    if (error === undefined || this.signal.aborted) return;
    this.context.log.warn("Cannot end a pod", { ...this.#name, error });
    this.context.enqueueAfter(this.uid, refreshRetryMs);
  }

  async #deleteObject({ metadata: { namespace, name } }: Pod): Promise<void> {
    const options = { gracePeriodSeconds: 0, preconditions: { uid: this.uid } };
    try {
      await this.context.client.resource("v1", "Pod").delete({ namespace, name }, options);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

function sameMap(
  left: Readonly<Record<string, string>> = {},
  right: Readonly<Record<string, string>> = {},
): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}
