// Node ports: one number serves both families and all protocols of a service.
import { bandsOf, pick } from "./band.ts";

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export const defaultPortRange: PortRange = { first: 30_000, last: 32_767 };

const bandOptions = { divisor: 32n, minimum: 16n, maximum: 128n };

export function isInRange(port: number, { first, last }: PortRange): boolean {
  return port >= first && port <= last;
}

/** Returns a free port; `undefined` when every port is taken. */
export function choosePort(
  range: PortRange,
  taken: ReadonlySet<number>,
  fraction: () => number,
): number | undefined {
  const { upper, lower } = bandsOf(BigInt(range.last - range.first + 1), bandOptions);
  for (const band of [upper, lower]) {
    if (band === undefined) continue;
    const size = Number(band.last - band.first) + 1;
    const start = Number(pick(band, fraction) - band.first);
    for (let step = 0; step < size; step += 1) {
      const port = range.first + Number(band.first) + ((start + step) % size);
      if (!taken.has(port)) return port;
    }
  }
  return undefined;
}
