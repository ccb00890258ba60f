// Certificates expire while a server runs; it serves with the next one in time, and keeps connections.
import type { Clock } from "../../../base/host/clock.ts";
import type { Log } from "../../../base/program/log.ts";
import type { KeyPair } from "./authority.ts";
import { type ServerCertificateOptions, serverCertificate } from "./server-certificate.ts";

export interface RenewalOptions {
  readonly certificate: Omit<ServerCertificateOptions, "now">;
  readonly clock: Clock;
  readonly log: Log;
  readonly current: KeyPair;
  readonly renewed: (pair: KeyPair) => void;
}

const hour = 60 * 60 * 1000;

/** Ends when it is aborted. */
export async function renewServerCertificate(
  { certificate, clock, log, current, renewed }: RenewalOptions,
  signal: AbortSignal,
): Promise<void> {
  let served = current;
  for (;;) {
    try {
      await clock.sleep(hour, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    try {
      const pair = await serverCertificate({ ...certificate, now: () => new Date(clock.now()) });
      if (pair.certificate === served.certificate) continue;
      served = pair;
      renewed(pair);
      log.info("renewed the server's certificate");
    } catch (error) {
      log.error("Cannot renew the server's certificate; trying again in an hour", { error });
    }
  }
}
