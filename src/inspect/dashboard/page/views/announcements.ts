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
import { topCommand } from "../../model/commands.ts";
import type { Mirror } from "../../model/mirror.ts";
import { lamp } from "../lamp.ts";
import { VirtualList } from "../virtual-list.ts";

/** The most moves that are listed. */
const mostListed = 100;

export interface AnnouncementsProps {
  readonly mirror: Mirror;
  readonly namespace: string | undefined;
}

export function Announcements({ mirror, namespace }: AnnouncementsProps): ComponentChildren {
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
      command: topCommand(namespace),
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
                  { key: each.address, title: sinceText(each, dateText) },
                  `${each.address} `,
                  lamp(family, lampOfAnnouncement(each)),
                  h("small", null, ` ${sinceText(each, timeText)} `),
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
      : h(
          "ol",
          { class: "timeline", "aria-label": "moves of addresses, the newest first" },
          moves.slice(0, mostListed).map((move, at) => h("li", { key: at }, moveText(move))),
          moves.length > mostListed && h("li", null, `and ${moves.length - mostListed} earlier`),
        ),
  );
}

function heading(title: string): ComponentChildren {
  return h("span", { key: title, role: "columnheader" }, title);
}

function moveText({ at, address, use, from, to }: TimelineEntry): string {
  return `${timeText(at)} ${address}, ${use}: ${from ?? "nobody"} → ${to ?? "nobody"}`;
}

function dateText(at: string): string {
  return new Date(at).toLocaleString();
}

function timeText(at: string): string {
  return new Date(at).toLocaleTimeString([], { hourCycle: "h23" });
}
