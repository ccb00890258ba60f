// The page: log-in, then the view that the URL names, on the objects that the server tells of.

import { type ComponentChildren, h, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { kindNames } from "../model/cluster.ts";
import type { Mirror } from "../model/mirror.ts";
import { formatRoute, type ViewName, viewNames } from "../model/route.ts";
import { AnotherLink } from "./another-link.ts";
import { type About, ask, logIn, logOut } from "./connection.ts";
import { type Link, useStream } from "./follow.ts";
import { useRoute } from "./navigation.ts";
import { TokenForm } from "./token-form.ts";
import { Addresses } from "./views/addresses.ts";
import { Announcements } from "./views/announcements.ts";
import { CheckView } from "./views/check.ts";
import { MapView } from "./views/map.ts";
import { ObjectView } from "./views/object.ts";
import { Overview } from "./views/overview.ts";
import { Policies } from "./views/policies.ts";
import { Table } from "./views/table.ts";
import { TraceView } from "./views/trace.ts";

const menu: readonly ViewName[] = viewNames.filter((name) => name !== "object");
/** The names of views that are no words. */
const titles: Readonly<Partial<Record<ViewName, string>>> = { vips: "VIPs" };

const links: Readonly<Record<Link, string>> = {
  connecting: "… connecting",
  open: "● live",
  lost: "✖ connection lost: what is shown may be old",
  "logged out": "✖ the dashboard does not know this tab any more: log in again",
};

function Page(): ComponentChildren {
  const route = useRoute();
  const { mirror, link } = useStream("/api/stream");
  const [about, setAbout] = useState<About>({ server: "" });
  useEffect(() => {
    const asked = ask("/api/about").then((response) => response.json());
    asked.then((answer) => setAbout(answer as About)).catch(() => setAbout({ server: "?" }));
  }, []);
  const cluster = mirror.cluster();
  const { namespace } = about;
  const view = (): ComponentChildren => {
    switch (route.view) {
      case "overview":
        return h(Overview, { cluster, namespace });
      case "map":
        return h(MapView, { cluster, route });
      case "addresses":
        return h(Addresses, { cluster, route, namespace });
      case "check":
        return h(CheckView, { mirror, about, route });
      case "trace":
        return h(TraceView, { cluster, about, route });
      case "vips":
        return h(Announcements, { mirror, namespace });
      case "policies":
        return h(Policies, { cluster, route, namespace });
      case "object":
        return h(ObjectView, { cluster, route, namespace });
      default:
        return h(Table, { key: route.view, table: route.view, cluster, route, namespace });
    }
  };
  return [
    h(
      "header",
      null,
      h("a", { href: "#main", class: "skip" }, "skip to the view"),
      h(
        "nav",
        { "aria-label": "views" },
        menu.map((name) =>
          h(
            "a",
            {
              key: name,
              href: formatRoute({ view: name, parameters: {} }),
              "aria-current": route.view === name ? "page" : undefined,
            },
            titles[name] ?? name,
          ),
        ),
      ),
      h("span", { class: "cluster", title: about.server }, about.server),
      h("span", { role: "status" }, links[link]),
      about.logIn === "token"
        ? h("button", { type: "button", onClick: () => void logOut() }, "Log out")
        : h(AnotherLink, null),
    ),
    h("main", { id: "main", tabIndex: -1 }, notRead(mirror), view()),
  ];
}

/** Says which kinds are not on the page, and why. */
function notRead(mirror: Mirror): ComponentChildren {
  const missing = kindNames
    .map((kind) => ({ kind, ...mirror.reading(kind) }))
    .filter(({ state }) => state === "refused" || state === "failing");
  if (missing.length === 0) return null;
  return h(
    "div",
    { class: "missing", role: "alert" },
    missing.map(({ kind, state, reason }) =>
      h(
        "div",
        { key: kind },
        state === "refused" ? `You may not read ${kind}: ` : `Cannot read ${kind} at present: `,
        h("small", null, reason),
      ),
    ),
  );
}

async function start(): Promise<void> {
  const place = document.querySelector("#page");
  if (place === null) throw new Error('Cannot draw the page: it has no element "page"');
  const state = await logIn();
  if (state.isIn) return render(h(Page, null), place);
  if (state.by === "token") return render(h(TokenForm, null), place);
  const refused = h(
    "main",
    { class: "refused" },
    h("h1", null, "Tandem"),
    h(
      "p",
      null,
      "This tab is not logged in. Open the link that tandem dashboard printed; each works once.",
    ),
  );
  render(refused, place);
}

void start();
