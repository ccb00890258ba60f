// The elements that one frontend has in the table's sets and maps.

import type { Frontend, Pool } from "../plan/frontend.ts";
import { noElements, PlaceElements, type TableElements } from "../table/elements.ts";
import { endpointNumbers } from "./affinity.ts";
import { carried } from "./carried.ts";
import { type Picker, pickerName } from "./pickers.ts";

export interface Elements extends TableElements {
  readonly pickers: readonly Picker[];
}

export function elementsOf(frontend: Frontend | undefined): Elements {
  if (frontend === undefined) return { ...noElements, pickers: [] };
  const { pool, outsiders = [], affinitySeconds } = frontend;
  const pickers: Picker[] = [];
  const elements = new PlaceElements(frontend, ({ length: count }, isForOutsiders) => {
    const place = frontend.address === undefined ? "node-port" : "service";
    const picker = { place, isForOutsiders, count, affinitySeconds } as const;
    pickers.push(picker);
    return `goto ${pickerName(picker)}`;
  });
  const isSticky = affinitySeconds !== undefined;
  addEndpoints(elements, { pool, isForOutsiders: false, isSticky });
  addEndpoints(elements, { pool: outsiders, isForOutsiders: true, isSticky });
  const { own, shared, sourceLengths } = elements;
  return { own, shared, sourceLengths, pickers };
}

interface Target {
  readonly pool: Pool;
  readonly isForOutsiders: boolean;
  readonly isSticky: boolean;
}

function addEndpoints(
  { place, key: placeKey, own }: PlaceElements,
  { pool, isForOutsiders, isSticky }: Target,
): void {
  const numbers = isSticky ? endpointNumbers(pool) : [];
  for (const [index, { address, port }] of pool.entries()) {
    const number = carried(numbers[index] ?? index, isForOutsiders);
    if (isSticky) {
      const key = `${placeKey} . ${carried(index, isForOutsiders)}`;
      own.push({ set: `${place}-numbers`, key, rest: `: ${number}` });
    }
    own.push({
      set: `${place}-endpoints`,
      key: `${placeKey} . ${number}`,
      rest: `: ${address} . ${port}`,
    });
  }
}
