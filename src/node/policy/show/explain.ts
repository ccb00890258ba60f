// Explains why a connection passes or not: the decision of each end's policies, with the rule that made it.

import { Address } from "../../../base/net/address.ts";
import type { Traffic } from "../plan/decide.ts";
import { type Direction, directions } from "../plan/model.ts";
import type { PolicyState } from "../plan/policy-state.ts";

export interface Connection extends Traffic {
  readonly source: string;
  readonly destination: string;
}

export interface Explanation {
  readonly direction: Direction;
  readonly isAllowed: boolean;
  /** Whether the pod's namespace is in audit mode, so that nothing is denied. */
  readonly isAudited: boolean;
  /**
   * The deciding rule, such as `default/db-only, ingress rule 1`, or the policies none of whose rules allows
   * it.
   */
  readonly by: string;
}

/** Returns one explanation for each end that has policies: first the sender's, then the receiver's. */
export function explain(state: PolicyState, connection: Connection): readonly Explanation[] {
  const { source, destination, ...traffic } = connection;
  const plan = state.plans[Address.parse(source).family];
  if (source === destination) return [];
  return directions.toReversed().flatMap((direction) => {
    const [subject, peer] = direction === "egress" ? [source, destination] : [destination, source];
    const found = plan.classOf(subject, direction);
    if (found === undefined) return [];
    const { isAllowed, rule } = found.explain(peer, traffic);
    const { facts, isolating } = found.rules;
    const nobody =
      isolating.length === 0
        ? `no policy denies ${direction}`
        : `no ${direction} rule of ${isolating.join(", ")} allows it`;
    return [{ direction, isAllowed, isAudited: facts.isAudited, by: rule?.name ?? nobody }];
  });
}
