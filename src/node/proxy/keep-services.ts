import type { Informer } from "../../api/client/informer.ts";
import type { Node } from "../../api/types/core.ts";
import { isDoneBefore } from "../../base/program/done-before.ts";
import type { Log } from "../../base/program/log.ts";
import type { Part } from "../../base/program/run-all.ts";
import { sameFacts } from "./objects/node-facts.ts";
import type { DesiredState } from "./plan/desired-state.ts";
import type { PlanContext } from "./plan/plan-service.ts";
import type { FamilySync } from "./sync/family-sync.ts";
import type { ServiceProxy } from "./sync/service-proxy.ts";

interface Options {
  readonly state: DesiredState;
  readonly proxy: ServiceProxy;
  /** The informer of this node, which has no other node. */
  readonly nodes: Informer<Node>;
  /** One promise for each kind of object, which resolves when all objects of that kind are in the state. */
  readonly synced: readonly Promise<void>[];
  readonly contextOf: (node: Node | undefined) => PlanContext;
  readonly openSyncs: () => readonly FamilySync[];
  readonly log: Log;
}

/** Runs the proxy once all objects are known, and plans anew when the node's addresses or zone change. */
export function keepServices(options: Options): Part {
  const { state, proxy, nodes, contextOf, openSyncs, log } = options;
  const begin = (context: PlanContext): void => {
    state.setContext(context);
    proxy.use(openSyncs());
  };
  return {
    name: "proxy",
    async run(signal) {
      const synced = Promise.all([nodes.synced, ...options.synced]);
      if (!(await isDoneBefore(signal, synced))) return;
      const [node] = nodes.list();
      if (node === undefined) log.warn("There is no object for this node yet");
      begin(contextOf(node));
      const leave = nodes.subscribe(() => {
        const context = contextOf(nodes.list()[0]);
        if (!sameFacts(context.node, state.context.node)) begin(context);
      });
      try {
        await proxy.run(signal);
      } finally {
        leave();
      }
    },
  };
}
