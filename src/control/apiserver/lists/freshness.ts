// The freshness of the state that a request is answered from.
import { setTimeout as delay } from "node:timers/promises";
import type { Revision } from "../../store/store.ts";
import type { Core } from "../core.ts";
import { badRequest, resourceVersionTooLarge } from "../errors.ts";

/** The time in milliseconds that a request waits for a revision this server has not seen yet. */
const patience = 3000;

/** Parses a resourceVersion; `undefined` when the request names none. */
export function parseResourceVersion(text: string | null): Revision | undefined {
  if (text === null || text === "") return undefined;
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) {
    throw badRequest(`Invalid value: ${JSON.stringify(text)}: resourceVersion must be a number`);
  }
  return Number(text);
}

/** Waits until the cache is as new as the request demands; without a version that is the newest. */
export async function awaitFreshness(core: Core, version: Revision | undefined): Promise<void> {
  const { cache } = core;
  if (version === undefined) {
    await cache.current();
  } else if (version > cache.revision) {
    await awaitRevision(core, version);
  }
}

async function awaitRevision({ cache }: Core, version: Revision): Promise<void> {
  const giveUp = new AbortController();
  const late = delay(patience, undefined, { signal: giveUp.signal }).then(
    () => {
      throw resourceVersionTooLarge(version, cache.revision);
    },
    () => undefined,
  );
  try {
    await Promise.race([cache.reached(version), late]);
  } finally {
    giveUp.abort();
  }
}
