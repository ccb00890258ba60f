// Who belongs to a group, and what is told when that changes.

import type { Pod } from "../../../api/types/core.ts";

export interface Member {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** All of them, in the order of the pod's status. */
  readonly addresses: readonly string[];
}

export interface GroupEvent {
  /** The same each time an event is told, so that who has heard it before can tell. */
  readonly id: string;
  /** `change` is when the addresses of a member are others than before. */
  readonly type: "join" | "leave" | "change";
  readonly time: string;
  readonly member: Member;
}

/** A pod belongs to its group from when it can be reached until it ends. */
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

/** What is to be told of a member that was so before and is so now. */
export function changeOf(
  before: Member | undefined,
  after: Member | undefined,
): Change | undefined {
  if (after === undefined) return before && { type: "leave", member: before };
  if (before === undefined) return { type: "join", member: after };
  const isSame = before.addresses.join() === after.addresses.join();
  return isSame ? undefined : { type: "change", member: after };
}
