// The requests and limits that the node has granted to the containers of one pod. The spec may ask for others,
// which are granted as soon as there is room for them.

import { nanosOf } from "../../../api/fields/quantity.ts";
import type { Container, Pod, ResourceRequirements } from "../../../api/types/core.ts";
import { type Slot, slotsOf } from "../decide/slots.ts";
import { type Amounts, changedResources, type Resizable, requestedBy, sumOf } from "./resources.ts";

/** The reason why a resize is not carried out, as the condition PodResizePending shows it. */
export interface PendingResize {
  readonly reason: "Infeasible" | "Deferred";
  readonly message: string;
}

export interface Room {
  /** What the node has for all pods. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** What the other pods of the node were granted. */
  readonly others: () => readonly Amounts[];
}

export class Allocation {
  #granted: ReadonlyMap<string, ResourceRequirements>;
  #pending: PendingResize | undefined;

  constructor(granted: ReadonlyMap<string, ResourceRequirements>) {
    this.#granted = granted;
  }

  /** Takes over what an earlier agent has told; the spec's, where it has told nothing. */
  static of(pod: Pod): Allocation {
    const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
    const told = new Map(
      [...initContainerStatuses, ...containerStatuses].map((status) => [status.name, status]),
    );
    const entries = slotsOf(pod.spec).map(({ name, container }) => {
      const { resources, state } = told.get(name) ?? {};
      const isKnown = resources !== undefined && state?.running !== undefined;
      return [name, (isKnown ? resources : container.resources) ?? {}] as const;
    });
    return new Allocation(new Map(entries));
  }

  get pending(): PendingResize | undefined {
    return this.#pending;
  }

  of(name: string): ResourceRequirements | undefined {
    return this.#granted.get(name);
  }

  /** Returns the container with what it was granted. */
  grantedTo(slot: Slot): Slot {
    const resources = this.#granted.get(slot.name);
    if (resources === undefined) return slot;
    const container: Container = { ...slot.container, resources };
    return { ...slot, container };
  }

  requested({ spec }: Pod): Amounts {
    return requestedBy(spec, (name) => this.#granted.get(name));
  }

  /** Grants what the spec asks for, if the node has room for it. Returns what is new about a refusal. */
  consider(pod: Pod, room: Room): PendingResize | undefined {
    const before = this.#pending?.message;
    this.#decide(pod, room);
    return this.#pending?.message === before ? undefined : this.#pending;
  }

  #decide(pod: Pod, room: Room): void {
    const slots = slotsOf(pod.spec);
    const asked = new Map(slots.map(({ name, container }) => [name, container.resources ?? {}]));
    const isNew = slots.every(({ name }) => this.#granted.has(name));
    const isChanged = slots.some(
      ({ name }) => changedResources(this.#granted.get(name), asked.get(name)).length > 0,
    );
    this.#pending = undefined;
    if (!isChanged) {
      if (!isNew) this.#granted = asked;
      return;
    }
    const wanted = requestedBy(pod.spec, (name) => asked.get(name));
    this.#pending = refusalOf(wanted, this.requested(pod), room);
    if (this.#pending === undefined) this.#granted = asked;
  }
}

/** Returns why the node does not grant more than before; less is always granted. */
function refusalOf(wanted: Amounts, had: Amounts, room: Room): PendingResize | undefined {
  const more = (["cpu", "memory"] as const).filter((name) => wanted[name] > had[name]);
  const known = more.flatMap((name) => {
    const text = room.allocatable[name];
    return text === undefined ? [] : [{ name, capacity: nanosOf(text) }];
  });
  const never = known.find(({ name, capacity }) => wanted[name] > capacity);
  if (never !== undefined) {
    const message = `Node didn't have enough capacity: ${never.name}, ${requestText(never, wanted)}`;
    return { reason: "Infeasible", message };
  }
  if (known.length === 0) return undefined;
  const taken = sumOf(room.others());
  const later = known.find(({ name, capacity }) => taken[name] + wanted[name] > capacity);
  if (later === undefined) return undefined;
  const message = `Node didn't have enough resource: ${later.name}`;
  return { reason: "Deferred", message };
}

function requestText({ name, capacity }: { name: Resizable; capacity: bigint }, wanted: Amounts) {
  const unit = name === "cpu" ? 1_000_000n : 1_000_000_000n;
  return `requested: ${wanted[name] / unit}, capacity: ${capacity / unit}`;
}
