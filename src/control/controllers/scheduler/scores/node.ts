// Scores nodes by preferred node affinity and by taints that pods should avoid.

import { untolerated } from "../taints.ts";
import { fewest, type Score, stretched } from "./score.ts";

export const preferredNodes: Score = {
  name: "NodeAffinity",
  weight: 2,
  rate({ preferredNodes: wishes }, nodes) {
    if (wishes.length === 0) return undefined;
    return stretched(
      nodes.map(({ node }) =>
        wishes.reduce((sum, { weight, test }) => sum + (test(node) ? weight : 0), 0),
      ),
    );
  },
};

export const unpleasantTaints: Score = {
  name: "TaintToleration",
  weight: 3,
  rate({ tolerations }, nodes) {
    const counts = nodes.map(
      ({ node }) =>
        (node.spec.taints ?? []).filter(
          (taint) => untolerated([taint], tolerations, ["PreferNoSchedule"]) !== undefined,
        ).length,
    );
    return fewest(counts);
  },
};
