// Renews the server's certificate while it runs: before it expires, and when the names of the server change.
// Connections stay.
import type { Clock } from "../../../base/host/clock.ts";
import { pause } from "../../../base/host/clock.ts";
import type { Log } from "../../../base/program/log.ts";
import type { KeyPair, ServerNames } from "./authority.ts";
import { type ServerCertificateOptions, serverCertificate } from "./server-certificate.ts";

export interface RenewalOptions {
  readonly certificate: Omit<ServerCertificateOptions, "now" | "names">;
  /** Returns the present names of the server. */
  readonly names: () => ServerNames;
  /** Calls back when the names may have changed; the function returned ends that. */
  readonly subscribe: (changed: () => void) => () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly current: KeyPair;
  readonly renewed: (pair: KeyPair) => void;
}

const hour = 60 * 60 * 1000;
/** The delay before a failed renewal is retried: clients that use a missing name fail meanwhile. */
const retryMs = 10_000;

/** Renews until the signal aborts. */
export async function renewServerCertificate(
  options: RenewalOptions,
  signal: AbortSignal,
): Promise<void> {
  const { certificate, names, subscribe, clock, log, current, renewed } = options;
  let served = current;
  let wake = new AbortController();
  const unsubscribe = subscribe(() => wake.abort());
  try {
    while (!signal.aborted) {
      // The wake-up is armed before the names are read, so that later changes start another round.
      wake = new AbortController();
      let next = hour;
      try {
        const now = () => new Date(clock.now());
        const pair = await serverCertificate({ ...certificate, names: names(), now });
        if (pair.certificate !== served.certificate) {
          served = pair;
          renewed(pair);
          log.info("renewed the server's certificate");
        }
      } catch (error) {
        next = retryMs;
        log.error("Cannot renew the server's certificate; trying again", { error });
      }
      await pause(clock, next, AbortSignal.any([signal, wake.signal]));
    }
  } finally {
    unsubscribe();
  }
}
