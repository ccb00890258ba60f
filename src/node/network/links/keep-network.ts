// Reconciles routes to other nodes' pods and the masquerading rules with the nodes of the cluster, whatever
// others do to them.

import { type Again, Controller } from "../../../api/client/controller.ts";
import type { Informer } from "../../../api/client/informer.ts";
import type { Node } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { Ip } from "../../../base/host/ip.ts";
import type { Nft } from "../../../base/host/nft.ts";
import type { Random } from "../../../base/host/random.ts";
import { families } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { Log } from "../../../base/program/log.ts";
import type { NodePlace } from "../../status/status.ts";
import { routeChanges } from "../routes/changes.ts";
import type { RoutesKernel } from "../routes/kernel.ts";
import { type Peer, peerOf } from "../routes/peer.ts";
import { planRoutes, type RouteMode } from "../routes/plan.ts";
import { masqueradeScript, masqueradeTable } from "./masquerade.ts";

export interface KeepNetworkOptions {
  readonly node: string;
  readonly nodes: Informer<Node>;
  readonly places: readonly NodePlace[];
  readonly podCidrs: readonly Prefix[];
  readonly mode: RouteMode;
  /** The destinations for which pods are not masqueraded; if not given, nothing is masqueraded. */
  readonly exempt: readonly Prefix[] | undefined;
  readonly kernel: { readonly routes: RoutesKernel; readonly ip: Ip; readonly nft: Nft };
  /** Restores the rules that keep pods from speaking for others. */
  readonly guard: () => Promise<void>;
  /** Called when everything is in place for the first time. */
  readonly onReady: () => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

const everything = "network";
/** The interval for checking the kernel's tables, which others may have changed. */
const lookMs = 15_000;

export function keepNetwork(options: KeepNetworkOptions): Controller {
  const { nodes, clock, log, onReady } = options;
  let done: { readonly peers: string; readonly at: number } | undefined;
  let told = "";
  let rules = "";

  const reconcile = async (_: string, signal: AbortSignal): Promise<Again> => {
    const peers = nodes.list().map(peerOf).toSorted(byName);
    const state = JSON.stringify(peers);
    // Changes of nodes that do not matter here, such as heartbeats, wait for the next check.
    const rest = done?.peers === state ? done.at + lookMs - clock.monotonic() : 0;
    if (rest > 0) return { againInMs: rest };
    const [problems, text] = await Promise.all([
      syncRoutes(peers, options, signal),
      syncMasquerade(peers, { ...options, before: rules }, signal),
      options.guard(),
    ]);
    if (problems !== told && problems !== "") log.warn(problems);
    told = problems;
    rules = text;
    if (done === undefined) onReady();
    done = { peers: state, at: clock.monotonic() };
    return { againInMs: lookMs };
  };

  const source = nodes.mapped(() => [everything]);
  const controller = new Controller({ ...options, name: "network", sources: [source], reconcile });
  // A node without peers needs its masquerading rules as well.
  controller.enqueue(everything);
  return controller;
}

/** Reconciles routes; returns what cannot be reached, in words. */
async function syncRoutes(
  peers: readonly Peer[],
  { node, places, podCidrs, mode, kernel }: KeepNetworkOptions,
  signal: AbortSignal,
): Promise<string> {
  const [present, ...all] = await Promise.all([
    kernel.routes.read({ signal }),
    ...families.map((family) => kernel.ip.addresses(family, { signal })),
  ]);
  const own = { name: node, mode, places, podCidrs, ownAddresses: all.flat() };
  const plan = planRoutes(peers, own);
  const changes = routeChanges(plan, present);
  await kernel.routes.apply(changes, { signal });
  return plan.problems.join("; ");
}

/** Reconciles the nft table; returns it as nft prints it, to be compared the next time. */
async function syncMasquerade(
  peers: readonly Peer[],
  options: KeepNetworkOptions & { readonly before: string },
  signal: AbortSignal,
): Promise<string> {
  const { places, podCidrs, exempt, before } = options;
  const { nft } = options.kernel;
  if (exempt === undefined) {
    await nft.deleteTable(masqueradeTable, { signal });
    return "";
  }
  const script = masqueradeScript({ peers, places, podCidrs, exempt });
  const isThere = (await nft.tables({ signal })).some(isOurs);
  const present = isThere ? await nft.text(masqueradeTable, { signal }) : "";
  if (before === `${script}${present}`) return before;
  await nft.apply(script, { signal });
  return `${script}${await nft.text(masqueradeTable, { signal })}`;
}

function isOurs({ family, name }: { readonly family: string; readonly name: string }): boolean {
  return family === masqueradeTable.family && name === masqueradeTable.name;
}

function byName(one: Peer, other: Peer): number {
  return one.name < other.name ? -1 : 1;
}
