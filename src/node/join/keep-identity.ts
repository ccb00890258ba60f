// Renews the node's certificates long before they expire, authenticated by the certificate itself, and at the
// start if the node has addresses that they lack. The server certifies the addresses of the Node object, so
// the first attempts may come too early.
import type { Transport } from "../../api/client/transport.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Log } from "../../base/program/log.ts";
import type { Part } from "../../base/program/run-all.ts";
import { certify, type Wish } from "./certify.ts";
import { coversAddresses, type Identity, type IdentityStore, renewalTime } from "./identity.ts";

interface Options {
  readonly identity: Identity;
  readonly wish: Wish;
  readonly store: IdentityStore;
  /** The transport, with the node's credentials. */
  readonly transport: Transport;
  /** Receives the identity that replaces the previous one. */
  readonly onRenewed: (identity: Identity) => void;
  readonly clock: Clock;
  readonly log: Log;
}

const tryAgainMs = 3_600_000;
const soonMs = 5_000;
const triesForAddresses = 12;
/** The longest sleep: timers overflow beyond some weeks. */
const longestSleepMs = 24 * 3_600_000;

export function keepIdentity(options: Options): Part {
  const { wish, store, transport, onRenewed, clock, log } = options;
  return {
    name: "identity",
    async run(signal) {
      let { identity } = options;
      let notBefore = 0;
      let triesLeft = coversAddresses(identity.serving, wish.addresses.map(String))
        ? 0
        : triesForAddresses;
      for (;;) {
        const expected = triesLeft > 0 ? 0 : renewalTime(identity.client).getTime();
        const due = Math.max(expected, notBefore);
        const wait = due - clock.now();
        if (wait > 0) {
          await clock.sleep(Math.min(wait, longestSleepMs), signal);
          continue;
        }
        try {
          identity = await certify(wish, transport, { signal });
          await store.write(identity, wish.server);
          onRenewed(identity);
          triesLeft = 0;
          log.info("renewed the certificates of the node");
        } catch (error) {
          signal.throwIfAborted();
          if (triesLeft > 0) triesLeft--;
          notBefore = clock.now() + (triesLeft > 0 ? soonMs : tryAgainMs);
          if (triesLeft > 0) continue;
          const expire = renewalTime(identity.client).toISOString();
          log.warn("Cannot renew the certificates of the node", { error, due: expire });
        }
      }
    },
  };
}
