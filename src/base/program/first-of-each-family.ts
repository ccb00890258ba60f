import type { Family } from "../net/family.ts";
import { firstOfEachFamily } from "../net/list.ts";
import type { Log } from "./log.ts";

/** What is used of a list that somebody gave; the log names what is not. */
export function usedOfEachFamily<T extends { readonly family: Family }>(
  list: readonly T[],
  { option, log }: { readonly option: string; readonly log: Pick<Log, "warn"> },
): T[] {
  const { used, ignored } = firstOfEachFamily(list);
  for (const value of ignored) {
    const state = `${option} has one of ${value.family} before it`;
    log.warn(`ignored ${String(value)}: ${state}`, { option, ignored: String(value) });
  }
  return used;
}
