// Watches for chains of policies that somebody deletes. Flushed rules leave a chain that drops everything, but
// without a chain nothing is denied: it must be back at once.

import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Part } from "../../../base/program/run-all.ts";
import { tableName } from "../nftables/words.ts";

interface Parts {
  readonly commands: Commands;
  readonly clock: Clock;
  readonly log: Log;
}

const retryMs = 1000;

/** Calls `onDeleted` for each chain, also for those that are deleted to be replaced. */
export function watchDeletions({ commands, clock, log }: Parts, onDeleted: () => void): Part {
  const isOurs = new RegExp(`^delete chain ip6? ${tableName} `);
  return {
    name: "deleted policies",
    async run(signal) {
      while (!signal.aborted) {
        const running = await commands.start(["nft", "monitor", "destroy", "chains"], {
          diesWithParent: true,
          signal,
          onLine: (line) => isOurs.test(line) && onDeleted(),
        });
        await running.exited;
        if (signal.aborted) return;
        log.warn("Cannot watch for deleted rules of policies: nft has ended; starting it again");
        await clock.sleep(retryMs, signal);
      }
    },
  };
}
