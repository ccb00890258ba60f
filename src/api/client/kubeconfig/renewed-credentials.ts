import type { Clock } from "../../../base/host/clock.ts";
import type { Credential, Credentials } from "../access.ts";

/** The interval at which files are read again, to pick up rotated ones. */
export const fileLifetimeMs = 60_000;

export interface Obtained {
  readonly credential: Credential;
  /** The time at which to obtain it again, in milliseconds since 1970. */
  readonly until: number;
}

/** Credentials that are obtained again when they expire or are refused, once for all callers that wait. */
export function renewedCredentials(obtain: () => Promise<Obtained>, clock: Clock): Credentials {
  let held: Obtained | undefined;
  let underWay: Promise<Credential> | undefined;

  const renew = async (): Promise<Credential> => {
    try {
      const next = await obtain();
      const credential =
        held !== undefined && isSame(held.credential, next.credential)
          ? held.credential
          : next.credential;
      held = { credential, until: next.until };
      return credential;
    } finally {
      underWay = undefined;
    }
  };

  return {
    async current(signal) {
      if (held !== undefined && clock.now() < held.until) return held.credential;
      underWay ??= renew();
      return await abandonedBy(signal, underWay);
    },
    reject(credential) {
      if (held?.credential === credential) held = { credential, until: 0 };
    },
  };
}

function isSame(a: Credential, b: Credential): boolean {
  return a.authorization === b.authorization && a.certificate === b.certificate && a.key === b.key;
}

/** Waits for shared work until the signal aborts; the work goes on for the others. */
async function abandonedBy<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  const { promise: left, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
