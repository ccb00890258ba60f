import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { families } from "../../../../base/net/family.ts";
import type { ClusterObjects } from "../../model/cluster.ts";
import { tableCommand } from "../../model/commands.ts";
import { type LampState, signs } from "../../model/lamps.ts";
import { formatRoute } from "../../model/route.ts";
import { countLamps, type Row, rowsOf, type TableName } from "../../model/rows.ts";
import { Command } from "../command.ts";
import { lampPair } from "../lamp.ts";
import { objectLink } from "./table.ts";

const tables: readonly TableName[] = ["nodes", "services", "pods"];
const states: readonly LampState[] = ["ok", "uneven", "bad", "waiting", "unknown", "off"];
/** The most objects that are listed as wrong; the tables have the others. */
const mostWrong = 12;

export interface OverviewProps {
  readonly cluster: ClusterObjects;
  readonly namespace: string | undefined;
}

export function Overview({ cluster, namespace }: OverviewProps): ComponentChildren {
  const rows = useMemo(
    () => tables.map((table) => ({ table, rows: rowsOf[table](cluster) })),
    [cluster],
  );
  const wrong = rows.flatMap((each) => each.rows.filter(isWrong));
  return h(
    "section",
    null,
    h("h1", null, "Overview"),
    h(
      "div",
      { class: "tiles" },
      rows.map((each) => h("article", { key: each.table, class: "tile" }, tile(each))),
    ),
    h("h2", null, "What is wrong"),
    wrong.length === 0
      ? h("p", null, "Nothing that can be seen from here.")
      : h(
          "ul",
          { class: "wrong" },
          wrong
            .slice(0, mostWrong)
            .map(({ key, place, lamps }) =>
              h(
                "li",
                { key: `${place.kind} ${key}` },
                `${place.kind.toLowerCase()} `,
                objectLink(place),
                lampPair(lamps),
              ),
            ),
        ),
    wrong.length > mostWrong && h("p", null, `and ${wrong.length - mostWrong} more, in the tables`),
    tables.map((table) => h(Command, { key: table, text: tableCommand(table, namespace) })),
  );
}

function tile({
  table,
  rows,
}: {
  readonly table: TableName;
  readonly rows: readonly Row[];
}): ComponentChildren {
  const counts = countLamps(rows);
  return [
    h(
      "h2",
      null,
      h("a", { href: formatRoute({ view: table, parameters: {} }) }, `${rows.length} ${table}`),
    ),
    h(
      "div",
      { class: "pair" },
      families.map((family) =>
        h(
          "div",
          { key: family },
          h("b", null, family),
          states.flatMap((state) => {
            const count = counts[family].get(state) ?? 0;
            if (count === 0) return [];
            return h(
              "div",
              { key: state, class: `lamp ${state}` },
              `${signs[state]} ${count} ${state}`,
            );
          }),
        ),
      ),
    ),
  ];
}

function isWrong({ lamps }: Row): boolean {
  return families.some((family) => ["bad", "uneven"].includes(lamps[family].state));
}
