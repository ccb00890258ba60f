// Reconciles a provider's route table, and reports on each node whether its pods can be reached.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import type { Node } from "../../../api/types/core.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { ControllerContext } from "../context.ts";
import { changedCondition } from "./node-condition.ts";
import type { Route, RouteTable } from "./provider.ts";
import { routeChanges, routesTo } from "./routes.ts";

const everything = "routes";
/** The interval for reading the table, since others may change it. */
const lookAgainMs = 60_000;

export interface RoutesOptions {
  readonly table: RouteTable;
  readonly clusterCidrs: readonly Prefix[];
}

export function routesController(
  context: ControllerContext,
  { table, clusterCidrs }: RoutesOptions,
): Controller {
  const { client, informers, clock } = context;
  const nodes = client.resource("v1", "Node");
  const informer = informers.of(nodes);

  const reconcile = async (_: string, signal: AbortSignal): Promise<Again> => {
    const wanted = routesTo(informer.list());
    const changes = routeChanges(wanted, await table.list(signal), clusterCidrs);
    // Removals come first, since a CIDR may have moved from one node to another.
    for (const route of changes.remove) await table.remove(route, signal);
    const failures = new Map<Route, unknown>();
    for (const route of changes.add) {
      try {
        await table.add(route, signal);
      } catch (error) {
        failures.set(route, error);
      }
    }
    for (const node of informer.list()) await report(node, wanted, failures, signal);
    if (failures.size > 0) {
      const [cause] = failures.values();
      throw new Error(`Cannot add ${failures.size} routes: the provider refused`, { cause });
    }
    return { againInMs: lookAgainMs };
  };

  const report = async (
    node: Node,
    wanted: readonly Route[],
    failures: ReadonlyMap<Route, unknown>,
    signal: AbortSignal,
  ): Promise<void> => {
    const own = wanted.filter((route) => route.node === node.metadata.name);
    if (own.length === 0) return;
    const isMissing = own.some((route) => failures.has(route));
    const state = isMissing
      ? { status: "True", reason: "NoRouteCreated", message: "A route to the node is missing" }
      : { status: "False", reason: "RouteCreated", message: "All routes to the node are there" };
    const changed = changedCondition(node, { type: "NetworkUnavailable", ...state }, clock.now());
    if (changed === undefined) return;
    const strategic = { status: { conditions: [changed] } };
    try {
      await nodes.patchStatus(node.metadata, { strategic }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  const source = informer.mapped(() => [everything]);
  return new Controller({ ...context, sources: [source], reconcile });
}
