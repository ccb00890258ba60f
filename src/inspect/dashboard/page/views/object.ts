// One object: its lamps, its events, and the log of a pod.

import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { keyOf } from "../../../../api/client/objects.ts";
import type { Event } from "../../../../api/types/core.ts";
import type { ClusterObjects } from "../../model/cluster.ts";
import { eventsCommand, objectCommand } from "../../model/commands.ts";
import { formatRoute, type Route } from "../../model/route.ts";
import { rowsOf, type TableName } from "../../model/rows.ts";
import { type ObjectPlace, placeOf } from "../../model/what-is.ts";
import { Command } from "../command.ts";
import { useStream } from "../follow.ts";
import { lampPair } from "../lamp.ts";
import { VirtualList } from "../virtual-list.ts";
import { Logs } from "./logs.ts";

export interface ObjectProps {
  readonly cluster: ClusterObjects;
  readonly route: Route;
  readonly namespace: string | undefined;
}

const tables: Readonly<Record<string, TableName>> = {
  Node: "nodes",
  Pod: "pods",
  Service: "services",
};

export function ObjectView({ cluster, route, namespace }: ObjectProps): ComponentChildren {
  const place = placeOf(route.parameters);
  if (place === undefined) return h("p", { role: "status" }, "There is no such object.");
  const { container = "" } = route.parameters;
  return h(PlacedObject, { cluster, place, container, only: namespace });
}

interface PlacedObjectProps {
  readonly cluster: ObjectProps["cluster"];
  readonly place: ObjectPlace;
  /** The container whose log is shown; the first if there is none of this name. */
  readonly container: string;
  /** The only namespace that is read, if not all are. */
  readonly only: string | undefined;
}

function PlacedObject({ cluster, place, container, only }: PlacedObjectProps): ComponentChildren {
  const { kind, namespace, name } = place;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const table = tables[kind];
  const row = useMemo(
    () => (table === undefined ? undefined : rowsOf[table](cluster).find((one) => one.key === key)),
    [table, cluster, key],
  );
  const pod = kind === "Pod" ? cluster.pods.find((one) => keyOf(one) === key) : undefined;
  return h(
    "section",
    null,
    h("h1", null, `${kind} ${key}`),
    table !== undefined && row === undefined && h("p", { role: "status" }, "It is not there."),
    row !== undefined && [lampPair(row.lamps), h("p", { key: "cells" }, row.cells.join(", "))],
    kind === "Service" &&
      h(
        "p",
        null,
        h(
          "a",
          { href: formatRoute({ view: "map", parameters: { service: key } }) },
          "the ways to it, on the map",
        ),
      ),
    pod !== undefined &&
      h(
        "p",
        null,
        h(
          "a",
          { href: formatRoute({ view: "policies", parameters: { pod: key } }) },
          "what may reach it",
        ),
        " · ",
        h(
          "a",
          { href: formatRoute({ view: "trace", parameters: { from: `pod/${key}` } }) },
          "trace from it",
        ),
      ),
    h(Command, { text: objectCommand(place) }),
    h("h2", null, "Events"),
    h(Events, { key, place, only }),
    pod !== undefined &&
      (pod.status?.phase ?? "Pending") !== "Pending" &&
      h(Logs, {
        key,
        place,
        chosen: container,
        containers: pod.spec.containers.map(({ name: each }) => each),
      }),
  );
}

function Events({ place, only }: Pick<PlacedObjectProps, "place" | "only">): ComponentChildren {
  const query = new URLSearchParams({ ...place }).toString();
  const { mirror } = useStream(`/api/events?${query}`);
  const { state, reason } = mirror.reading("events");
  const events = (mirror.list("events") as readonly Event[]).toSorted(
    (a, b) => timeOf(b) - timeOf(a),
  );
  if (state === "refused") return h("p", { role: "status" }, `You may not read events: ${reason}`);
  if (events.length === 0) return h("p", null, state === "reading" ? "Reading …" : "None.");
  return h(VirtualList, {
    label: "events",
    count: events.length,
    command: eventsCommand(place, only),
    heading: ["Time", "Reason", "Message"].map((title) =>
      h("span", { key: title, role: "columnheader" }, title),
    ),
    row: (index) => cellsOf(events[index]),
  });
}

function cellsOf(event: Event | undefined): ComponentChildren {
  if (event === undefined) return null;
  const { type, reason = "", message = "", count = 1 } = event;
  const sign = type === "Warning" ? "⚠ " : "";
  return [
    h("span", { key: 1, role: "cell" }, new Date(timeOf(event)).toLocaleString()),
    h("span", { key: 2, role: "cell" }, `${sign}${reason}${count > 1 ? ` ×${count}` : ""}`),
    h("span", { key: 3, role: "cell", title: message }, message),
  ];
}

function timeOf({ lastTimestamp, eventTime, metadata }: Event): number {
  return Date.parse(lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "") || 0;
}
