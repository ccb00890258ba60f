import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { Address } from "../../../../base/net/address.ts";
import { families } from "../../../../base/net/family.ts";
import { type RangeUse, rangesOf, shareOf } from "../../model/addresses.ts";
import type { ClusterObjects } from "../../model/cluster.ts";
import { rangesCommand } from "../../model/commands.ts";
import type { Route } from "../../model/route.ts";
import { whatIs } from "../../model/what-is.ts";
import { Command } from "../command.ts";
import { go } from "../navigation.ts";
import { VirtualList } from "../virtual-list.ts";
import { objectLink } from "./table.ts";

export interface AddressesProps {
  readonly cluster: ClusterObjects;
  readonly route: Route;
}

export function Addresses({ cluster, route }: AddressesProps): ComponentChildren {
  const { q = "" } = route.parameters;
  const ranges = useMemo(() => pairsOf(rangesOf(cluster)), [cluster]);
  return h(
    "section",
    null,
    h("h1", null, "Addresses"),
    h(
      "div",
      { class: "filters" },
      h("input", {
        type: "search",
        "aria-label": "what is this address?",
        placeholder: "what is … 10.96.0.10, fd00:96::a",
        value: q,
        onInput: ({ currentTarget }) =>
          go({ view: "addresses", parameters: { q: currentTarget.value } }),
      }),
    ),
    q !== "" && answer(q, cluster),
    h("h2", null, "Ranges"),
    h(VirtualList, {
      label: "ranges of addresses",
      count: ranges.length,
      heading: ["Of", ...families].map((title) =>
        h("span", { key: title, role: "columnheader" }, title),
      ),
      row: (index) => cellsOf(ranges[index]),
    }),
    h(Command, { text: rangesCommand }),
  );
}

function answer(text: string, cluster: ClusterObjects): ComponentChildren {
  const address = Address.tryParse(text.trim());
  if (address === undefined) return h("p", { role: "status" }, `${text} is no address (yet).`);
  return h(
    "div",
    { role: "status" },
    h("b", null, address.toString()),
    h(
      "ul",
      null,
      whatIs(address, cluster).map(({ text: said, object }) =>
        h("li", { key: said }, said, object !== undefined && [" → ", objectLink(object)]),
      ),
    ),
  );
}

interface RangePair {
  readonly title: string;
  readonly ranges: readonly RangeUse[];
}

/** The ranges of one owner are one row, with both families. */
function pairsOf(ranges: readonly RangeUse[]): readonly RangePair[] {
  const groups = Map.groupBy(ranges, ({ kind, owner }) => `${kind} ${owner}`);
  return [...groups].map(([title, members]) => ({ title, ranges: members }));
}

function cellsOf(pair: RangePair | undefined): ComponentChildren {
  if (pair === undefined) return null;
  return [
    h("span", { key: "of", role: "cell" }, pair.title),
    ...families.map((family) =>
      h(
        "span",
        { key: family, role: "cell" },
        pair.ranges.filter((range) => range.family === family).map(useOf),
      ),
    ),
  ];
}

function useOf(range: RangeUse): ComponentChildren {
  const { text, used, size } = range;
  const percent = `${(shareOf(range) * 100).toFixed(1)} %`;
  const said = used === undefined ? "use not readable" : `${used} of ${short(size)}, ${percent}`;
  return h(
    "span",
    { key: text, class: "use", title: `${text}: ${said}` },
    h("meter", {
      min: 0,
      max: 1,
      low: 0.8,
      high: 0.95,
      optimum: 0,
      value: shareOf(range),
      "aria-label": said,
    }),
    ` ${text} `,
    h("small", null, said),
  );
}

/** Writes large numbers as powers of two, which all sizes of IPv6 networks are. */
function short(size: bigint): string {
  if (size < 1_000_000n) return size.toString();
  return `2^${size.toString(2).length - 1}`;
}
