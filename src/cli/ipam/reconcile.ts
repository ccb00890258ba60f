import { hostname } from "node:os";
import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { boolean, duration, text } from "../../base/program/option-types.ts";
import { hasNamespace, Reconciler, reconcile, withStore } from "../../node/ipam/ipam.ts";
import { storeOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Release addresses that no living pod needs, and say which.\n\n" +
    "With a cluster as the datastore, what lives is what its API lists. Elsewhere only what this machine " +
    "has reserved is judged, by whether its network namespace still exists.",
  examples: [
    { does: "Clean up once", command: "tandem ipam reconcile --kubeconfig ./kubeconfig" },
    { does: "Clean up every half minute", command: "tandem ipam reconcile --watch" },
  ],
  options: {
    ...storeOptions,
    watch: { type: boolean(), default: "false", help: "Go on until interrupted." },
    interval: {
      type: duration(),
      default: "30s",
      help: "How long to wait between rounds with --watch.",
    },
    nodeName: {
      type: text("NAME"),
      help: "This machine's name as a node; its host name when not given.",
    },
  },
  async run({ options, stdout, log, signal }) {
    const { watch, interval: intervalMs, nodeName: node = hostname(), ...store } = options;
    await withStore(store, async (datastore) => {
      if (watch) {
        const clock = systemClock;
        const reconciler = { datastore, node, hasNamespace, clock, log, intervalMs };
        return new Reconciler(reconciler).run(signal);
      }
      const world = { now: Date.now(), node, hasNamespace };
      for (const { address, owner, pool } of await reconcile(datastore, world)) {
        stdout.write(`released ${address.toString()} of ${owner} from ${pool.name}\n`);
      }
      for (const slice of await datastore.releaseSlices()) {
        stdout.write(`took back ${slice.prefix.toString()} of node ${slice.node}\n`);
      }
      return undefined;
    });
  },
});
