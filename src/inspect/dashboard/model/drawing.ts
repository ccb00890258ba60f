// Where the vertices of a graph stand in a picture: columns from left to right, rows by weight of neighbours.

import { families } from "../../../base/net/family.ts";
import { type Column, columns, type Edge, type Graph, type Vertex } from "./graph.ts";
import { type LampState, signs } from "./lamps.ts";

export interface Box {
  readonly id: string;
  readonly column: Column;
  readonly x: number;
  readonly y: number;
  readonly label: string;
  /** The whole label and what the lamps say, for a tooltip. */
  readonly title: string;
  readonly lamps: readonly { readonly text: string; readonly state: LampState }[];
}

export interface Line {
  readonly id: string;
  /** The path of a curve, as SVG writes it. */
  readonly path: string;
  readonly state: LampState;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

export const boxSize = { width: 190, height: 44 } as const;
const gap = { x: 60, y: 14 } as const;
const margin = 10;
const longestLabel = 24;

export function draw({ vertices, edges }: Graph): Picture {
  const places = place(vertices, edges);
  const rows = Math.max(1, ...[...places.values()].map(({ row }) => row + 1));
  const used = columns.filter((column) => vertices.some((vertex) => vertex.column === column));
  const boxes = vertices.map((vertex): Box => {
    const { row = 0 } = places.get(vertex.id) ?? {};
    return {
      id: vertex.id,
      column: vertex.column,
      x: margin + used.indexOf(vertex.column) * (boxSize.width + gap.x),
      y: margin + row * (boxSize.height + gap.y),
      label: shortened(vertex.label),
      title: titleOf(vertex),
      lamps: vertex.column === "outside" ? [] : lampsOf(vertex),
    };
  });
  const byId = new Map(boxes.map((box) => [box.id, box]));
  return {
    width: 2 * margin + Math.max(1, used.length) * (boxSize.width + gap.x) - gap.x,
    height: 2 * margin + rows * (boxSize.height + gap.y) - gap.y,
    boxes,
    lines: edges.flatMap((edge) => lineOf(edge, byId)),
  };
}

function lampsOf({ lamps }: Vertex): Box["lamps"] {
  return families.map((family) => {
    const { state } = lamps[family];
    return { text: `${family} ${signs[state]}`, state };
  });
}

/** Gives each vertex its row: those of a column are ordered by the mean row of what leads to them. */
function place(
  vertices: readonly Vertex[],
  edges: readonly Edge[],
): ReadonlyMap<string, { readonly row: number }> {
  const places = new Map<string, { row: number }>();
  const before = Map.groupBy(edges, ({ to }) => to);
  for (const column of ["service", "entry", "outside", "pods", "node"] as const) {
    const members = vertices.filter((vertex) => vertex.column === column);
    const neighbours = column === "entry" ? Map.groupBy(edges, ({ from }) => from) : before;
    const weight = ({ id }: Vertex): number => {
      const rows = (neighbours.get(id) ?? []).flatMap(({ from, to }) => {
        const { row } = places.get(from === id ? to : from) ?? {};
        return row === undefined ? [] : [row];
      });
      return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
    };
    const weights = new Map(members.map((vertex) => [vertex, weight(vertex)]));
    members
      .toSorted((a, b) => (weights.get(a) ?? 0) - (weights.get(b) ?? 0))
      .forEach(({ id }, row) => places.set(id, { row }));
  }
  return places;
}

function lineOf({ from, to, lamps }: Edge, boxes: ReadonlyMap<string, Box>): readonly Line[] {
  const start = boxes.get(from);
  const end = boxes.get(to);
  if (start === undefined || end === undefined) return [];
  const [x1, y1] = [start.x + boxSize.width, start.y + boxSize.height / 2];
  const [x2, y2] = [end.x, end.y + boxSize.height / 2];
  const bend = (x1 + x2) / 2;
  return [
    {
      id: `${from} → ${to}`,
      path: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`,
      state: worst(families.map((family) => lamps[family].state)),
    },
  ];
}

const byWeight: readonly LampState[] = ["bad", "uneven", "waiting", "unknown", "ok", "off"];

/** The state of a pair as a whole: the worse of the two. */
export function worst(states: readonly LampState[]): LampState {
  return byWeight.find((state) => states.includes(state)) ?? "off";
}

function titleOf({ label, lamps, column }: Vertex): string {
  if (column === "outside") return label;
  return [label, ...families.map((family) => `${family}: ${lamps[family].why}`)].join("\n");
}

function shortened(label: string): string {
  return label.length <= longestLabel ? label : `${label.slice(0, longestLabel - 1)}…`;
}
