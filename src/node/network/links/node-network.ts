// Runs the network of a node once its pod CIDRs are known: prepares it, keeps it, and makes it anew if the
// node is registered again with other CIDRs.

import type { Informer } from "../../../api/client/informer.ts";
import type { Node } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";
import type { CallOptions, Commands } from "../../../base/host/command.ts";
import type { Files } from "../../../base/host/files.ts";
import { systemIp } from "../../../base/host/ip.system.ts";
import { systemNft } from "../../../base/host/nft.system.ts";
import type { Random } from "../../../base/host/random.ts";
import { systemSysctl } from "../../../base/host/sysctl.system.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Part } from "../../../base/program/run-all.ts";
import type { NodePlace, Readiness } from "../../status/status.ts";
import { changedPodCidrs } from "../../status/status.ts";
import { systemRoutesKernel } from "../routes/kernel.ts";
import type { RouteMode } from "../routes/plan.ts";
import { podMtu } from "../routes/tunnel.ts";
import { keepNetwork } from "./keep-network.ts";
import { type PrepareOptions, prepareNetwork } from "./prepare.ts";

export interface NodeNetworkOptions
  extends Pick<PrepareOptions, "network" | "ipam" | "reservations" | "kubeconfig" | "node"> {
  readonly nodes: Informer<Node>;
  readonly places: readonly NodePlace[];
  readonly mode: RouteMode;
  readonly exempt: readonly Prefix[] | undefined;
  /**
   * The directory for the CNI configuration of the pods' network; if not given, another program writes it.
   */
  readonly confDirectory: string | undefined;
  /** Rejects with the reason if no pod can be attached now. */
  readonly status: (options: CallOptions) => Promise<void>;
  /** Restores the rules that keep pods from speaking for others. */
  readonly guard: () => Promise<void>;
  readonly readiness: Readiness;
  readonly commands: Commands;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface NodeNetwork extends Part {
  /** Resolves when the first pod can be attached. */
  readonly ready: Promise<void>;
}

const part = "network";
const lookAgainMs = 1_000;

export function openNodeNetwork(options: NodeNetworkOptions): NodeNetwork {
  const { node, nodes, readiness } = options;
  const ready = Promise.withResolvers<void>();
  return {
    name: part,
    ready: ready.promise,
    async run(signal) {
      let known: readonly Prefix[] | undefined;
      readiness.lacks(part, `node ${node} has no pod CIDRs yet`);
      for (;;) {
        // A network of another program may need no pod CIDRs, since its pods can have addresses of any
        // ranges.
        const isNeeded = options.confDirectory !== undefined || known !== undefined;
        known = isNeeded ? await changedPodCidrs(nodes, { node, known: known ?? [] }, signal) : [];
        const change = new AbortController();
        const until = AbortSignal.any([signal, change.signal]);
        const changed = changedPodCidrs(nodes, { node, known }, until).then(
          () => change.abort(),
          () => undefined,
        );
        await keep(options, known, () => ready.resolve(), until).catch((error: unknown) => {
          if (!change.signal.aborted || signal.aborted) throw error;
        });
        await changed;
      }
    },
  };
}

async function keep(
  options: NodeNetworkOptions,
  podCidrs: readonly Prefix[],
  onReady: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { commands, files, places, mode, readiness } = options;
  const ip = systemIp(commands);
  const mtu = podMtu(places, mode === "vxlan" || mode === "auto");
  const machine = { commands, ip, sysctl: systemSysctl(commands), files };
  await prepareNetwork({ ...options, podCidrs, mtu, machine, signal });
  await untilUsable(options, signal);
  const kernel = { ip, nft: systemNft(commands), routes: systemRoutesKernel(commands) };
  await keepNetwork({
    ...options,
    podCidrs,
    kernel,
    onReady: () => {
      readiness.ready(part);
      onReady();
    },
  }).run(signal);
}

/**
 * Waits until pods can be attached: a configuration or a plugin of another program may be installed later.
 */
async function untilUsable(
  { status, readiness, clock }: NodeNetworkOptions,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await status({ signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      readiness.lacks(part, messageOf(error));
    }
    await clock.sleep(lookAgainMs, signal);
  }
}
