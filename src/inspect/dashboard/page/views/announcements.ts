// Who announces which address of load balancers and VIPs, since when, and how they moved.

import { type ComponentChildren, h } from "preact";
import { families } from "../../../../base/net/family.ts";
import {
  announcementRows,
  lampOfAnnouncement,
  sinceText,
  type TimelineEntry,
  timelineOf,
} from "../../model/announcements.ts";
import { announcementsCommand } from "../../model/commands.ts";
import type { Mirror } from "../../model/mirror.ts";
import { Command } from "../command.ts";
import { lamp } from "../lamp.ts";
import { VirtualList } from "../virtual-list.ts";

export function Announcements({ mirror }: { readonly mirror: Mirror }): ComponentChildren {
  const { state, reason } = mirror.reading("announcements");
  const all = mirror.told("announcements");
  const rows = announcementRows(all);
  const moves = timelineOf(all);
  return h(
    "section",
    null,
    h("h1", null, "VIPs and load balancers"),
    state === "refused" &&
      h("p", { role: "status" }, `You may not read who announces addresses: ${reason}`),
    h(VirtualList, {
      label: "announced addresses",
      count: rows.length,
      heading: ["For", ...families].map(heading),
      row: (index) => {
        const row = rows[index];
        if (row === undefined) return null;
        return [
          h("span", { key: "for", role: "cell", title: row.use }, row.use),
          ...families.map((family) =>
            h(
              "span",
              { key: family, role: "cell" },
              row.addresses[family].map((each) =>
                h(
                  "span",
                  { key: each.address, title: `since ${sinceText(each)}` },
                  `${each.address} `,
                  lamp(family, lampOfAnnouncement(each)),
                ),
              ),
            ),
          ),
        ];
      },
    }),
    h("h2", null, "Moves"),
    moves.length === 0
      ? h("p", null, "None since the dashboard was started.")
      : h(VirtualList, {
          label: "moves of addresses, the newest first",
          count: moves.length,
          heading: ["Time", "Address", "From", "To"].map(heading),
          row: (index) => moveCells(moves[index]),
        }),
    h(Command, { text: announcementsCommand }),
  );
}

function heading(title: string): ComponentChildren {
  return h("span", { key: title, role: "columnheader" }, title);
}

function moveCells(move: TimelineEntry | undefined): ComponentChildren {
  if (move === undefined) return null;
  const { at, address, use, from = "nobody", to = "nobody" } = move;
  return [
    h("span", { key: 1, role: "cell" }, new Date(at).toLocaleTimeString()),
    h("span", { key: 2, role: "cell", title: use }, address),
    h("span", { key: 3, role: "cell" }, from),
    h("span", { key: 4, role: "cell" }, to),
  ];
}
