import { timestamp } from "../../api/fields/timestamp.ts";
import type { Condition } from "../../api/types/meta.ts";

type Stated = Omit<Condition, "lastTransitionTime">;

/** The conditions with this one set; its transition time stays as long as its status does. */
export function withCondition(
  conditions: readonly Condition[],
  stated: Stated,
  now: Date,
): Condition[] {
  const before = conditions.find(({ type }) => type === stated.type);
  const lastTransitionTime =
    before?.status === stated.status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : timestamp(now);
  const condition = { ...stated, lastTransitionTime };
  if (before === undefined) return [...conditions, condition];
  return conditions.map((one) => (one === before ? condition : one));
}
