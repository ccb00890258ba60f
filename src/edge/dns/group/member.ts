// The members of a group of pods, and the events when they change.

import type { Pod } from "../../../api/types/core.ts";

export interface Member {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** All addresses of the pod, in the order of its status. */
  readonly addresses: readonly string[];
}

export interface GroupEvent {
  /** The id, the same at each delivery of the event, so that receivers can recognize repeats. */
  readonly id: string;
  /** The type; `change` means that the addresses of a member have changed. */
  readonly type: "join" | "leave" | "change";
  readonly time: string;
  readonly member: Member;
}

/** The member that a pod is: from when it has an address until it ends. */
export function memberOf({ metadata, status = {} }: Pod): Member | undefined {
  const { podIP = "", podIPs = podIP === "" ? [] : [{ ip: podIP }], phase } = status;
  if (podIPs.length === 0 || phase === "Succeeded" || phase === "Failed") return undefined;
  const { uid = "", namespace, name } = metadata;
  return { uid, namespace, name, addresses: podIPs.map(({ ip }) => ip) };
}

export interface Change {
  readonly type: GroupEvent["type"];
  readonly member: Member;
}

/** The event for a member's change from before to after, if there is one. */
export function changeOf(
  before: Member | undefined,
  after: Member | undefined,
): Change | undefined {
  if (after === undefined) return before && { type: "leave", member: before };
  if (before === undefined) return { type: "join", member: after };
  const isSame = before.addresses.join() === after.addresses.join();
  return isSame ? undefined : { type: "change", member: after };
}
