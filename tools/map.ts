// Draws docs/pictures/map.svg: the floors of src, their components, and who imports whose door. Prints the figures.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { floors, isDoor, isTestSupport, readImports, roomOf } from "../test/repository/imports.ts";

interface Box {
  readonly name: string;
  readonly floor: string;
  readonly lines: number;
  readonly doors: number;
  readonly x: number;
  readonly y: number;
}

const [boxWidth, boxHeight, gap, left, bandHeight] = [104, 40, 10, 96, 104];
/** Drawn from the top, as one goes down through them; floors in one list stand side by side. */
const bands = [
  ["cli"],
  ["programs"],
  ["control", "edge", "install"],
  ["inspect", "node"],
  ["api"],
  ["base"],
];

const edges = new Map<string, number>();
const doors = new Map<string, Set<string>>();
let pastDoors = 0;
for (const [file, targets] of Object.entries(readImports())) {
  if (!file.startsWith("src/") || isTestSupport(file)) continue;
  const from = roomOf(file);
  for (const target of targets) {
    const to = roomOf(target);
    if (from === undefined || to === undefined || from.name === to.name) continue;
    const key = `${from.name} ${to.name}`;
    edges.set(key, (edges.get(key) ?? 0) + 1);
    doors.set(to.name, (doors.get(to.name) ?? new Set()).add(target));
    if (!isDoor(to, target)) pastDoors++;
  }
}

const boxes = bands.flatMap(placeBand);
const width = Math.max(...boxes.map(({ x }) => x)) + boxWidth + 2 * gap;
const height = bands.length * bandHeight + 60;
writeFileSync(new URL("../docs/pictures/map.svg", import.meta.url), draw());
printFigures();

function placeBand(names: readonly string[], row: number): Box[] {
  const y = 50 + row * bandHeight;
  let x = left;
  return names.flatMap((floorName) => {
    const floor = floors.find(({ name }) => name === floorName);
    const components = floorName === "cli" ? ["cli"] : Object.keys(floor?.components ?? {});
    const found = components.map((component) => {
      const name = floorName === "cli" ? "cli" : `${floorName}/${component}`;
      const box = {
        name,
        floor: floorName,
        lines: linesOf(`src/${name}`),
        doors: doors.get(name)?.size ?? 0,
        x,
        y,
      };
      x += boxWidth + gap;
      return box;
    });
    x += 2 * gap;
    return found;
  });
}

function linesOf(folder: string): number {
  const files = globSync(`${folder}/**/*.ts`).filter((file) => !isTestSupport(file));
  return files.reduce((sum, file) => sum + readFileSync(file, "utf8").split("\n").length - 1, 0);
}

function draw(): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${gap}" y="24" font-size="15" font-weight="bold">Floors and components of src: imports go down, through doors</text>`,
    ...bands.flatMap(drawBand),
    ...drawEdges(),
    ...boxes.flatMap(drawBox),
    "</svg>\n",
  ].join("\n");
}

function drawBand(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const own = boxes.filter(({ floor }) => floor === name);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const [x, y] = [first.x - gap / 2 - 2, first.y - 22];
    const w = last.x + boxWidth + gap / 2 + 2 - x;
    return [
      `<rect x="${x}" y="${y}" width="${w}" height="${boxHeight + 30}" rx="6" fill="#eef3f8"/>`,
      `<text x="${x + 6}" y="${y + 14}" font-size="12" font-weight="bold" fill="#345">${name}</text>`,
    ];
  });
}

/** Lines to the two floors that everybody stands on would hide the others: they are only counted. */
function drawEdges(): string[] {
  return [...edges].flatMap(([key, count]) => {
    const [from, to] = key.split(" ").map((name) => boxes.find((box) => box.name === name));
    if (from === undefined || to === undefined || ["base", "api"].includes(to.floor)) return [];
    const [x1, y1] = [from.x + boxWidth / 2, from.y + boxHeight];
    const [x2, y2] =
      from.y === to.y ? [to.x + boxWidth / 2, to.y + boxHeight] : [to.x + boxWidth / 2, to.y];
    const bend = from.y === to.y ? 26 : (y2 - y1) / 2;
    const path = `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${from.y === to.y ? y2 + bend : y2 - bend} ${x2} ${y2}`;
    return [
      `<path d="${path}" fill="none" stroke="#58a" stroke-opacity="0.55" stroke-width="${Math.min(4, 0.6 + count / 6).toFixed(1)}"><title>${from.name} → ${to.name}: ${count} imports</title></path>`,
    ];
  });
}

function drawBox({ name, lines, doors: count, x, y }: Box): string[] {
  const label = name.split("/").at(-1) ?? name;
  const ways = count === 1 ? "1 door" : `${count} doors`;
  return [
    `<rect x="${x}" y="${y}" width="${boxWidth}" height="${boxHeight}" rx="4" fill="#fff" stroke="#789"/>`,
    `<text x="${x + boxWidth / 2}" y="${y + 17}" font-size="12" text-anchor="middle">${label}</text>`,
    `<text x="${x + boxWidth / 2}" y="${y + 32}" font-size="9.5" text-anchor="middle" fill="#567">${(lines / 1000).toFixed(1)}k lines, ${count === 0 ? "a top" : ways}</text>`,
  ];
}

function printFigures(): void {
  const total = boxes.reduce((sum, { lines }) => sum + lines, 0);
  for (const floor of bands.flat()) {
    const own = boxes.filter((box) => box.floor === floor);
    const lines = own.reduce((sum, box) => sum + box.lines, 0);
    console.log(
      `${floor.padEnd(10)} ${String(own.length).padStart(3)} components ${String(lines).padStart(7)} lines`,
    );
  }
  const imports = [...edges.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${total} lines of production code`);
  console.log(
    `${edges.size} pairs of components, ${imports} imports between them, ${pastDoors} past a door`,
  );
}
