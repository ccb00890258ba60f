// The map as text of other programs: SVG for browsers, DOT for Graphviz.

import { families } from "../../../base/net/family.ts";
import { boxSize, draw, worst } from "./drawing.ts";
import type { Graph } from "./graph.ts";
import { type LampState, signs } from "./lamps.ts";

const colours: Readonly<Record<LampState, string>> = {
  ok: "#1a7f37",
  uneven: "#9a6700",
  bad: "#cf222e",
  waiting: "#0969da",
  off: "#6e7781",
  unknown: "#6e7781",
};

export function svgOf(graph: Graph): string {
  const { width, height, boxes, lines } = draw(graph);
  const drawn = [
    ...lines.map(
      ({ path, state }) =>
        `<path d="${path}" fill="none" stroke="${colours[state]}" stroke-width="1.5"${dashes(state)}/>`,
    ),
    ...boxes.map(({ x, y, label, title, lamps }) =>
      [
        `<g><title>${escaped(title)}</title>`,
        `<rect x="${x}" y="${y}" width="${boxSize.width}" height="${boxSize.height}" rx="6" fill="#fff" stroke="#57606a"/>`,
        `<text x="${x + 10}" y="${y + 18}">${escaped(label)}</text>`,
        ...lamps.map(
          ({ text, state }, at) =>
            `<text x="${x + 10 + at * 70}" y="${y + 35}" fill="${colours[state]}">${text}</text>`,
        ),
        "</g>",
      ].join(""),
    ),
  ];
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12">`,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

export function dotOf({ vertices, edges }: Graph): string {
  const lines = [
    ...vertices.map(({ id, label, lamps, column }) => {
      const signed = families.map((family) => `${family} ${signs[lamps[family].state]}`).join("  ");
      const text = column === "outside" ? label : `${label}\n${signed}`;
      return `  ${quoted(id)} [label=${quoted(text)}];`;
    }),
    ...edges.map(({ from, to, lamps }) => {
      const state = worst(families.map((family) => lamps[family].state));
      return `  ${quoted(from)} -> ${quoted(to)} [color="${colours[state]}"];`;
    }),
  ];
  return ["digraph cluster {", "  rankdir=LR;", "  node [shape=box];", ...lines, "}\n"].join("\n");
}

function dashes(state: LampState): string {
  return state === "ok" ? "" : ' stroke-dasharray="5 3"';
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll("\n", String.raw`\n`)}"`;
}
