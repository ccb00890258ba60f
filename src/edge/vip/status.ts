import type { Node } from "../../api/types/core.ts";
import { candidatesFor, type VipUse, vipUses } from "./cluster.ts";
import { decodeReport, reportAnnotation } from "./runtime/report.ts";
import type { NodeReport, VipView } from "./runtime/source.ts";

/** The status of one VIP, as its nodes report it. */
export interface VipStatus {
  readonly vip: string;
  readonly use: VipUse;
  /** The holders: one, when all is well. Nodes that are not ready do not count: their reports may be old. */
  readonly holders: readonly { readonly node: string; readonly since: Date }[];
  /** The nodes that could take the VIP. */
  readonly candidates: readonly string[];
  /** The candidates whose check fails. */
  readonly failing: readonly string[];
  /** The problems that keep candidates from doing as the cluster asks. */
  readonly problems: readonly { readonly node: string; readonly problem: string }[];
}

export function vipStatus(view: VipView, nodes: readonly Node[]): VipStatus[] {
  const reports = new Map(
    nodes
      .filter(isReady)
      .map(({ metadata }) => [
        metadata.name,
        decodeReport(metadata.annotations?.[reportAnnotation]),
      ]),
  );
  return vipUses.flatMap((use) =>
    view.cluster.vips[use].map((vip) => {
      const reported = candidatesFor(use, view.nodes)
        .map(({ name }) => ({ name, report: reports.get(name) }))
        .filter((one): one is { name: string; report: NodeReport } => one.report !== undefined);
      return {
        vip: vip.toString(),
        use,
        holders: reported.flatMap(({ name, report }) =>
          report.holds
            .filter((holding) => holding.vip.equals(vip))
            .map(({ since }) => ({ node: name, since })),
        ),
        candidates: reported
          .filter(({ report }) => report.takesPart.some((one) => one.equals(vip)))
          .map(({ name }) => name),
        failing: reported
          .filter(({ report }) => report.failing.includes(use))
          .map(({ name }) => name),
        problems: reported.flatMap(({ name: node, report: { problem } }) =>
          problem === undefined ? [] : [{ node, problem }],
        ),
      };
    }),
  );
}

/** Whether a node is ready; one without a Ready condition is. */
function isReady({ status }: Node): boolean {
  return (
    status?.conditions?.every(({ type, status: is }) => type !== "Ready" || is === "True") !== false
  );
}
