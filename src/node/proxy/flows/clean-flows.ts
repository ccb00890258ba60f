import type { CallOptions } from "../../../base/host/command.ts";
import type { Conntrack } from "../../../base/host/conntrack.ts";
import type { FamilySettings, Frontend } from "../plan/frontend.ts";
import type { FrontendTable } from "../plan/frontend-table.ts";
import type { Flows } from "./flow.ts";
import { staleFlows } from "./stale-flows.ts";

export interface FlowCleaner {
  /** Deletes the stale UDP flows of these frontends from conntrack. Returns how many there were. */
  clean(places: ReadonlyMap<string, Frontend | undefined>, options?: CallOptions): Promise<number>;
}

interface Options {
  readonly flows: Flows;
  readonly conntrack: Conntrack;
  readonly settings: FamilySettings;
  readonly table: FrontendTable;
}

export function flowCleaner({ flows, conntrack, settings, table }: Options): FlowCleaner {
  return {
    async clean(places, options) {
      const concerned = new Set([...places.keys()].filter((key) => key.includes(" udp ")));
      if (concerned.size === 0) return 0;
      const stale = staleFlows(await flows.listUdp(settings.family, options), {
        settings,
        find: (key) => table.get(key),
        concerns: (key) => concerned.has(key),
      });
      return conntrack.deleteFlows(stale, options);
    },
  };
}
