import type { Address } from "../net/address.ts";
import { firstOfEachFamily } from "../net/list.ts";
import type { Prefix } from "../net/prefix.ts";
import type { Log } from "./log.ts";

/** What is used of a list that somebody gave; the log names what is not. */
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
