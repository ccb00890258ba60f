// What a check makes for itself, and removes however it ends.

import { systemRandom } from "../../base/host/random.system.ts";
import { messageOf } from "../../base/program/errors.ts";
import type { CheckOptions } from "./options.ts";

/** Returns the name of the check's own namespace. */
export function spareName({ namespace }: Pick<CheckOptions, "namespace">): string {
  const word = Math.floor(systemRandom.fraction() * 36 ** 5)
    .toString(36)
    .padStart(5, "0");
  return namespace ?? `tandem-check-${word}`;
}

/** Returns the result of `work`, after `cleanUp` has run however the work ended. */
export async function cleanedUp<T>(
  work: () => Promise<T>,
  cleanUp: () => Promise<void>,
): Promise<T> {
  const [outcome] = await Promise.allSettled([work()]);
  try {
    await cleanUp();
  } catch (error) {
    if (outcome.status === "fulfilled") throw error;
    // The error of the check itself comes first, before the error of its clean-up.
    throw new Error(`${messageOf(outcome.reason)}; ${messageOf(error)}`, { cause: error });
  }
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
