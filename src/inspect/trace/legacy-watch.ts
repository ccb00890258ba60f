// Watches legacy iptables rules by their counters, since they leave no trace.

import type { CallOptions } from "../../base/host/command.ts";
import type { Place } from "./places.ts";
import { Surroundings } from "./surroundings.ts";
import type { Tap } from "./tap.ts";

type Counts = ReadonlyMap<string, number>;

interface Watched {
  readonly place: Place;
  readonly tables: readonly string[];
  readonly before: Counts;
}

export class LegacyWatch {
  readonly #watched: readonly Watched[];
  readonly #isUnknown: boolean;
  readonly #options: CallOptions;

  private constructor(
    watched: readonly Watched[],
    { isUnknown, ...options }: CallOptions & { readonly isUnknown: boolean },
  ) {
    this.#watched = watched;
    this.#isUnknown = isUnknown;
    this.#options = options;
  }

  /** Opens only the tables that exist, since reading the others would create them. */
  static async open(taps: ReadonlyMap<Place, Tap>, options: CallOptions): Promise<LegacyWatch> {
    const watched = await Promise.all(
      [...taps].map(async ([place, { legacyTables: tables = [] }]) => ({
        place,
        tables,
        before: tables.length === 0 ? new Map<string, number>() : await countsIn(place, options),
      })),
    );
    const isUnknown = [...taps.values()].some(({ legacyTables }) => legacyTables === undefined);
    return new LegacyWatch(
      watched.filter(({ before }) => before.size > 0),
      { ...options, isUnknown },
    );
  }

  /** Returns the rules that refuse packets and have counted some since the start. */
  async suspects(): Promise<readonly string[]> {
    const found = await Promise.all(
      this.#watched.map(async ({ place, before }) => {
        const after = await countsIn(place, this.#options);
        return [...after.keys()]
          .filter((rule) => /-[jg] (?:DROP|REJECT)\b/.test(rule))
          .filter((rule) => (after.get(rule) ?? 0) > (before.get(rule) ?? 0))
          .map((rule) => `"${rule}" in ${place.name}`);
      }),
    );
    return found.flat();
  }

  notes(places: ReadonlySet<string>): readonly string[] {
    if (this.#isUnknown) {
      return ["rules of legacy iptables, should there be any, can be seen by nobody but root"];
    }
    return this.#watched
      .filter(({ place }) => places.has(place.name))
      .map(
        ({ place, before, tables }) =>
          `${place.name} has ${before.size} rules of legacy iptables, in ${tables.join(", ")}: they ` +
          "leave no trace, and are known only by what they count",
      );
  }
}

async function countsIn(place: Place, options: CallOptions): Promise<Counts> {
  return new Surroundings(place.commands, options).legacyRules();
}
