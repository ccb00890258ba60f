// Certificates expire, and the names a server is called by change, while it runs; it serves with the next
// certificate in time, and keeps connections.
import type { Clock } from "../../../base/host/clock.ts";
import { pause } from "../../../base/host/clock.ts";
import type { Log } from "../../../base/program/log.ts";
import type { KeyPair, ServerNames } from "./authority.ts";
import { type ServerCertificateOptions, serverCertificate } from "./server-certificate.ts";

export interface RenewalOptions {
  readonly certificate: Omit<ServerCertificateOptions, "now" | "names">;
  /** What the server is called by at present. */
  readonly names: () => ServerNames;
  /** Calls back when the names may have changed; the function returned ends that. */
  readonly subscribe: (changed: () => void) => () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly current: KeyPair;
  readonly renewed: (pair: KeyPair) => void;
}

const hour = 60 * 60 * 1000;
/** A name that the certificate lacks is one that clients fail at. */
const retryMs = 10_000;

/** Ends when it is aborted. */
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
      // A change that comes from here on is looked at in the next round.
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
