import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { Address } from "../../../../base/net/address.ts";
import { families } from "../../../../base/net/family.ts";
import { type RangeUse, rangesOf, shareOf, sizeText } from "../../model/addresses.ts";
import type { ClusterObjects } from "../../model/cluster.ts";
import { holdersCommand, topCommand } from "../../model/commands.ts";
import { filterHolders, type HolderRow, holdersOf } from "../../model/holders.ts";
import type { Route } from "../../model/route.ts";
import { whatIs } from "../../model/what-is.ts";
import { go } from "../navigation.ts";
import { VirtualList } from "../virtual-list.ts";
import { objectLink } from "./table.ts";

export interface AddressesProps {
  readonly cluster: ClusterObjects;
  readonly route: Route;
  readonly namespace: string | undefined;
}

export function Addresses({ cluster, route, namespace }: AddressesProps): ComponentChildren {
  const { q = "" } = route.parameters;
  const ranges = useMemo(() => pairsOf(rangesOf(cluster)), [cluster]);
  const holders = useMemo(() => holdersOf(cluster), [cluster]);
  const found = filterHolders(holders, q);
  const hasIpam = cluster.ipPools.length + cluster.nodeSlicePools.length > 0;
  return h(
    "section",
    null,
    h("h1", null, "Addresses"),
    h(
      "div",
      { class: "filters" },
      h("input", {
        type: "search",
        "aria-label": "what is this address? or who has what",
        placeholder: "what is … 10.96.0.10, fd00:96::a, shop/web",
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
      heading: ["Of", ...families].map(heading),
      command: topCommand(namespace),
      row: (index) => cellsOf(ranges[index]),
    }),
    h("h2", null, "Who holds what"),
    h("p", { role: "status" }, `${found.length} of ${holders.length}`),
    h(VirtualList, {
      label: "holders of addresses",
      count: found.length,
      heading: ["Holder", "As", ...families].map(heading),
      command: holdersCommand({ hasIpam }, namespace),
      row: (index) => holderCells(found[index]),
    }),
  );
}

function heading(title: string): ComponentChildren {
  return h("span", { key: title, role: "columnheader" }, title);
}

function holderCells(row: HolderRow | undefined): ComponentChildren {
  if (row === undefined) return null;
  const { as, holder, place, addresses } = row;
  return [
    h("span", { key: "holder", role: "cell" }, place === undefined ? holder : objectLink(place)),
    h("span", { key: "as", role: "cell" }, as),
    ...families.map((family) => {
      const text = addresses[family].join(", ");
      return h("span", { key: family, role: "cell", title: text }, text);
    }),
  ];
}

function answer(text: string, cluster: ClusterObjects): ComponentChildren {
  const address = Address.tryParse(text.trim());
  // Other texts are looked for in the list of holders.
  if (address === undefined) return null;
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
  const { text, used, size, kind } = range;
  const percent = `${(shareOf(range) * 100).toFixed(1)} %`;
  const all = kind === "slices" ? `${sizeText(size)} slices` : sizeText(size);
  const said = used === undefined ? "use not readable" : `${used} of ${all}, ${percent}`;
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
