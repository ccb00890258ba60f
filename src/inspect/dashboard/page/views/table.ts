// The tables of nodes, services and pods.

import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { type Family, families } from "../../../../base/net/family.ts";
import type { ClusterObjects } from "../../model/cluster.ts";
import { tableCommand } from "../../model/commands.ts";
import type { LampState } from "../../model/lamps.ts";
import { formatRoute, type Route } from "../../model/route.ts";
import { columnsOf, filterRows, type Row, rowsOf, type TableName } from "../../model/rows.ts";
import type { ObjectPlace } from "../../model/what-is.ts";
import { lamp } from "../lamp.ts";
import { go } from "../navigation.ts";
import { VirtualList } from "../virtual-list.ts";

export interface TableProps {
  readonly table: TableName;
  readonly cluster: ClusterObjects;
  readonly route: Route;
  readonly namespace: string | undefined;
}

const wrong: readonly LampState[] = ["bad", "uneven", "waiting", "unknown"];

export function Table({ table, cluster, route, namespace }: TableProps): ComponentChildren {
  const all = useMemo(() => rowsOf[table](cluster), [table, cluster]);
  const { q: search = "", family, only = "" } = route.parameters;
  const rows = filterRows(all, {
    search,
    family: families.find((one) => one === family),
    states: only === "wrong" ? wrong : [],
  });
  const change = (parameters: Record<string, string>): void =>
    go({ view: table, parameters: { ...route.parameters, ...parameters } });
  return h(
    "section",
    null,
    h("h1", null, table),
    h(
      "div",
      { class: "filters" },
      h("input", {
        type: "search",
        "aria-label": `search ${table}`,
        placeholder: "name, address, node …",
        value: search,
        onInput: ({ currentTarget }) => change({ q: currentTarget.value }),
      }),
      familyChoice(family, (value) => change({ family: value })),
      h(
        "label",
        null,
        h("input", {
          type: "checkbox",
          checked: only === "wrong",
          onChange: ({ currentTarget }) => change({ only: currentTarget.checked ? "wrong" : "" }),
        }),
        " only what is wrong",
      ),
      h("span", { role: "status" }, `${rows.length} of ${all.length}`),
    ),
    h(VirtualList, {
      label: table,
      count: rows.length,
      heading: ["Name", ...families, ...columnsOf[table]].map((title, at) =>
        h("span", { key: title, role: "columnheader", class: at > 2 ? "minor" : "" }, title),
      ),
      command: tableCommand(table, namespace),
      row: (index) => cellsOf(rows[index]),
    }),
  );
}

export function objectLink(place: ObjectPlace): ComponentChildren {
  const { namespace, name } = place;
  const text = namespace === undefined ? name : `${namespace}/${name}`;
  const href = formatRoute({ view: "object", parameters: { ...place } });
  return h("a", { href, title: text }, text);
}

function cellsOf(row: Row | undefined): ComponentChildren {
  if (row === undefined) return null;
  return [
    h("span", { role: "cell", key: "name" }, objectLink(row.place)),
    ...families.map((family) =>
      h("span", { role: "cell", key: family }, lamp(family, row.lamps[family])),
    ),
    ...row.cells.map((text, at) =>
      h("span", { role: "cell", class: "minor", key: at, title: text }, text),
    ),
  ];
}

function familyChoice(
  chosen: string | undefined,
  onChange: (family: Family | "") => void,
): ComponentChildren {
  return h(
    "select",
    {
      "aria-label": "family",
      value: chosen ?? "",
      onChange: ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
        onChange(currentTarget.value as Family | ""),
    },
    h("option", { value: "" }, "both families"),
    families.map((family) => h("option", { key: family, value: family }, `${family} only`)),
  );
}
