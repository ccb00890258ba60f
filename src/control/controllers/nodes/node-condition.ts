import { timestamp } from "../../../api/fields/timestamp.ts";
import type { Node, NodeCondition } from "../../../api/types/core.ts";

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Returns the new condition; `undefined` if the node has it already. */
export function changedCondition(
  node: Node,
  wanted: Pick<NodeCondition, "type" | "status" | "reason" | "message">,
  now: number,
): NodeCondition | undefined {
  const before = conditionOf(node, wanted.type);
  const isSame =
    before?.status === wanted.status &&
    before.reason === wanted.reason &&
    before.message === wanted.message;
  if (isSame) return undefined;
  const time = timestamp(now);
  const isSteady = before?.status === wanted.status && before.lastTransitionTime !== undefined;
  return {
    ...wanted,
    lastHeartbeatTime: time,
    lastTransitionTime: isSteady ? (before.lastTransitionTime ?? time) : time,
  };
}
