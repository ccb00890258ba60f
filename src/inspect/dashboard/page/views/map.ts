import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { keyOf } from "../../../../api/client/objects.ts";
import { families } from "../../../../base/net/family.ts";
import { backendsOf } from "../../model/backends.ts";
import { type ClusterObjects, clusterFamilies, slicesByService } from "../../model/cluster.ts";
import { mapCommand } from "../../model/commands.ts";
import { type Box, boxSize, draw } from "../../model/drawing.ts";
import { graphOf } from "../../model/graph.ts";
import { formatRoute, type Route } from "../../model/route.ts";
import { firstDifference, type Hop, waysOf } from "../../model/ways.ts";
import { Command } from "../command.ts";
import { lamp } from "../lamp.ts";
import { go } from "../navigation.ts";

/** The most services, or pods of one service, that a picture has; more would not be seen. */
const most = 60;

export interface MapProps {
  readonly cluster: ClusterObjects;
  readonly route: Route;
}

export function MapView({ cluster, route }: MapProps): ComponentChildren {
  const { service, namespace } = route.parameters;
  const graph = useMemo(
    () => graphOf(cluster, { service, namespace, most }),
    [cluster, service, namespace],
  );
  const { width, height, boxes, lines } = useMemo(() => draw(graph), [graph]);
  return h(
    "section",
    null,
    h("h1", null, "Map"),
    h("div", { class: "filters" }, choice(cluster, route)),
    service !== undefined && h(Ways, { cluster, service }),
    graph.leftOut > 0 &&
      h("p", { role: "status" }, `${graph.leftOut} services are not drawn: choose a namespace.`),
    h(
      "div",
      { class: "picture", tabIndex: 0, role: "region", "aria-label": "picture of the map" },
      h(
        "svg",
        { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "map" },
        lines.map(({ id, path, state }) => h("path", { key: id, d: path, class: `line ${state}` })),
        boxes.map((box) => h("g", { key: box.id }, boxOf(box))),
      ),
    ),
    h(Command, { text: mapCommand(route.parameters) }),
  );
}

function boxOf({ id, column, x, y, label, title, lamps }: Box): ComponentChildren {
  const drawn = [
    h("title", { key: "title" }, title),
    h("rect", { key: "box", class: "box", x, y, rx: 6, ...boxSize }),
    h("text", { key: "label", x: x + 10, y: y + 18 }, label),
    ...lamps.map(({ text, state }, at) =>
      h("text", { key: text, class: `lamp ${state}`, x: x + 10 + at * 70, y: y + 35 }, text),
    ),
  ];
  if (column !== "service") return drawn;
  const href = formatRoute({ view: "map", parameters: { service: id.replace("service ", "") } });
  return h("a", { href }, drawn);
}

function choice(cluster: ClusterObjects, { parameters }: Route): ComponentChildren {
  const namespaces = new Set(cluster.services.map(({ metadata }) => metadata.namespace));
  const select = (label: string, name: string, values: readonly string[]): ComponentChildren =>
    h(
      "select",
      {
        "aria-label": label,
        value: parameters[name] ?? "",
        onChange: ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
          go({ view: "map", parameters: { [name]: currentTarget.value } }),
      },
      h("option", { value: "" }, `all ${label}s`),
      values.map((value) => h("option", { key: value, value }, value)),
    );
  return [
    select("namespace", "namespace", [...namespaces].toSorted()),
    select("service", "service", cluster.services.map(keyOf).toSorted()),
  ];
}

/** Both families' ways to a service beside each other; the first hop that differs is marked. */
function Ways({
  cluster,
  service: key,
}: {
  readonly cluster: ClusterObjects;
  readonly service: string;
}): ComponentChildren {
  const service = cluster.services.find((one) => keyOf(one) === key);
  if (service === undefined) return h("p", { role: "status" }, `There is no service ${key}.`);
  const backends = backendsOf(slicesByService(cluster.slices).get(key) ?? []);
  const ways = waysOf(service, { cluster, backends, clusterHas: clusterFamilies(cluster) });
  const differs = firstDifference(ways);
  return h(
    "div",
    { class: "ways" },
    families.map((family) =>
      h(
        "article",
        { key: family },
        h("h2", null, family),
        h(
          "ol",
          null,
          ways[family].map((hop, at) =>
            h(
              "li",
              { key: at, class: at === differs ? "hop differs" : "hop" },
              at === differs && h("strong", null, "≠ the families differ from here: "),
              hopOf(hop),
              lamp(family, hop.lamp),
            ),
          ),
        ),
      ),
    ),
  );
}

function hopOf({ title, items }: Hop): ComponentChildren {
  return h(
    "details",
    null,
    h("summary", null, `${title} (${items.length})`),
    h(
      "ul",
      null,
      items.slice(0, most).map((item) => h("li", { key: item }, item)),
      items.length > most && h("li", null, `and ${items.length - most} more`),
    ),
  );
}
