import type { Address } from "../net/address.ts";
import { firstOfEachFamily } from "../net/list.ts";
import type { Prefix } from "../net/prefix.ts";
import type { Log } from "./log.ts";

/** Picks the first of each family from the list of an option; a warning names those that are ignored. */
export function usedOfEachFamily<T extends Address | Prefix>(
  list: readonly T[],
  { option, log }: { readonly option: string; readonly log: Pick<Log, "warn"> },
): T[] {
  const { used, ignored } = firstOfEachFamily(list);
  for (const value of ignored) {
    const text = value.toString();
    const state = `${option} has one of ${value.family} before it`;
    log.warn(`ignored ${text}: ${state}`, { option, ignored: text });
  }
  return used;
}
