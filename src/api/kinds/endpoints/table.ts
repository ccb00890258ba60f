// The table of `kubectl get endpoints`. A dual-stack backend is a pair in braces, and each pair has a row of
// its own, because kubectl cuts a cell at a newline.
import type { EndpointAddress, Endpoints } from "../../types/core.ts";
import { ageOf } from "../age.ts";
import type { TableDefinition } from "../kind.ts";

/** The number of pairs that are shown before `+ N more`. */
const shownPairs = 5;
/** The number of single addresses in a cell, as in Kubernetes. */
const shownSingles = 3;

export const endpointsTable: TableDefinition<Endpoints> = {
  columns: [
    { name: "Name", type: "string", format: "name" },
    { name: "Endpoints", type: "string" },
    { name: "Age", type: "string" },
    { name: "All Endpoints", type: "string", priority: 1 },
  ],
  rows(object, now) {
    const { name, creationTimestamp } = object.metadata;
    const age = ageOf(creationTimestamp, now);
    const all = endpointTexts(object).join(",") || "<none>";
    const lines = endpointLines(object);
    return lines.map((line, index) => [index === 0 ? name : "", line, age, index === 0 ? all : ""]);
  },
};

/** Returns every endpoint with every port: `10.0.0.1:80`, `{[fd00::1]:80,10.0.0.1:80}`. */
function endpointTexts({ subsets = [] }: Endpoints): string[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) => {
    const numbers = ports.length === 0 ? [undefined] : ports.map(({ port }) => port);
    return numbers.flatMap((port) => addresses.map((address) => endpointText(address, port)));
  });
}

/** Returns pairs one a line, single addresses in one line, `<none>` where there are no endpoints. */
export function endpointLines(object: Endpoints): string[] {
  const texts = endpointTexts(object);
  return hasPairs(object) ? pairLines(texts) : [singleLine(texts)];
}

function hasPairs({ subsets = [] }: Endpoints): boolean {
  return subsets.some(({ addresses = [] }) => addresses.some(({ ips = [] }) => ips.length > 1));
}

/** Returns the lines of pairs. A single further pair is shown, since `+ 1 more` would take a line as well. */
function pairLines(texts: readonly string[]): string[] {
  if (texts.length <= shownPairs + 1) return [...texts];
  return [...texts.slice(0, shownPairs), `+ ${texts.length - shownPairs} more`];
}

function singleLine(texts: readonly string[]): string {
  if (texts.length === 0) return "<none>";
  if (texts.length <= shownSingles) return texts.join(",");
  return `${texts.slice(0, shownSingles).join(",")} + ${texts.length - shownSingles} more...`;
}

function endpointText({ ip, ips = [] }: EndpointAddress, port: number | undefined): string {
  const all = ips.length > 0 ? ips : [ip];
  const texts = all.map((address) => {
    if (port === undefined) return address;
    return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  });
  return texts.length > 1 ? `{${texts.join(",")}}` : (texts[0] ?? "");
}
