// Renews the node's certificates long before they expire, with the certificate itself as the proof.
import type { Transport } from "../../api/client/transport.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Log } from "../../base/program/log.ts";
import type { Part } from "../../base/program/run-all.ts";
import { certify, type Wish } from "./certify.ts";
import { type Identity, type IdentityStore, renewalTime } from "./identity.ts";

interface Options {
  readonly identity: Identity;
  readonly wish: Wish;
  readonly store: IdentityStore;
  /** Of the node as the server knows it. */
  readonly transport: Transport;
  /** Told of what replaces the identity. */
  readonly onRenewed: (identity: Identity) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const tryAgainMs = 3_600_000;
/** Timers count no further than this. */
const longestSleepMs = 24 * 3_600_000;

export function keepIdentity(options: Options): Part {
  const { wish, store, transport, onRenewed, clock, log } = options;
  return {
    name: "identity",
    async run(signal) {
      let { identity } = options;
      let notBefore = 0;
      for (;;) {
        const due = Math.max(renewalTime(identity.client).getTime(), notBefore);
        const wait = due - clock.now();
        if (wait > 0) {
          await clock.sleep(Math.min(wait, longestSleepMs), signal);
          continue;
        }
        try {
          identity = await certify(wish, transport, { signal });
          await store.write(identity, wish.server);
          onRenewed(identity);
          log.info("renewed the certificates of the node");
        } catch (error) {
          signal.throwIfAborted();
          const expire = renewalTime(identity.client).toISOString();
          log.warn("Cannot renew the certificates of the node", { error, due: expire });
          notBefore = clock.now() + tryAgainMs;
        }
      }
    },
  };
}
