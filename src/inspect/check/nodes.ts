import type { Node } from "../../api/types/core.ts";
import { UsageError } from "../../base/program/errors.ts";

/** Two nodes are enough by default, since the path between them shows what there is to know. */
const usual = 2;

/** Returns the nodes that are named, in that order, or the first two that take pods. */
export function chooseNodes(
  all: readonly Node[],
  wanted: readonly string[] | undefined,
): readonly Node[] {
  if (wanted !== undefined) {
    return wanted.map((name) => {
      const node = all.find(({ metadata }) => metadata.name === name);
      if (node !== undefined) return node;
      const names = all.map(({ metadata }) => metadata.name).join(", ");
      throw new UsageError(`Cannot use nodes=${name}: there is ${names || "none"}`);
    });
  }
  const fit = all.filter(takesPods).slice(0, usual);
  if (fit.length > 0) return fit;
  throw new Error(`Cannot check: none of ${all.length} nodes is ready and takes pods`);
}

function takesPods({ spec, status }: Node): boolean {
  const isReady = status?.conditions?.some(
    (each) => each.type === "Ready" && each.status === "True",
  );
  const isKept = (spec?.taints ?? []).some(({ effect }) => effect !== "PreferNoSchedule");
  return isReady === true && spec?.unschedulable !== true && !isKept;
}
