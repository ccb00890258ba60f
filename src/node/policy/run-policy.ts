// Wires the policies of a node: the watched objects, the plan, the kernel, health and metrics.

import type { Client } from "../../api/client/client.ts";
import type { Node, Pod } from "../../api/types/core.ts";
import { keepBridgedPackets, showBridgedPackets } from "../../base/host/bridged-packets.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { CallOptions, Commands } from "../../base/host/command.ts";
import { systemConntrack } from "../../base/host/conntrack.system.ts";
import { HostError } from "../../base/host/error.ts";
import { systemIp } from "../../base/host/ip.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { sessionNft } from "../../base/host/nft-session.system.ts";
import type { Random } from "../../base/host/random.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import type { Family } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { isDoneBefore } from "../../base/program/done-before.ts";
import { messageOf } from "../../base/program/errors.ts";
import { openHealthServer } from "../../base/program/health-server.system.ts";
import type { Log } from "../../base/program/log.ts";
import type { Registry } from "../../base/program/metrics.ts";
import { runAll } from "../../base/program/run-all.ts";
import { Admission, type GivenAddress } from "./admission.ts";
import { PolicyWriter } from "./nftables/writer.ts";
import { followPolicies } from "./objects/follow-policies.ts";
import { PolicyState } from "./plan/policy-state.ts";
import type { PolicySettings } from "./settings.ts";
import { watchDeletions } from "./sync/deletions.ts";
import { DenialCounts } from "./sync/denials.ts";
import { FlowEnder } from "./sync/end-flows.ts";
import { systemFlowReader } from "./sync/flows.ts";
import { registerPolicyMetrics } from "./sync/metrics.ts";
import { PolicyKeeper } from "./sync/policy-keeper.ts";

export interface PolicyParts {
  readonly client: Client;
  /** Commands that run in the network namespace where the rules belong. */
  readonly commands: Commands;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Registry;
}

/** The network policies of a node. */
export interface NodePolicies {
  /** Resolves when the policies of a pod that has just got its addresses are in the kernel. */
  admit(pod: Pod, addresses: readonly GivenAddress[]): Promise<void>;
  /**
   * Keeps the policies until the signal aborts. The rules stay, so that they hold while the agent is
   * replaced.
   */
  run(signal: AbortSignal): Promise<void>;
}

export function openPolicies(settings: PolicySettings, parts: PolicyParts): NodePolicies {
  const { commands, clock, log } = parts;
  const { node: name } = settings;
  const state = new PolicyState();
  const admission = new Admission(state, name);
  const opened = Promise.withResolvers<PolicyKeeper>();
  opened.promise.catch(() => undefined);
  return {
    async admit(pod, addresses) {
      const keeper = await opened.promise;
      admission.give(pod, addresses);
      await keeper.inKernel();
    },
    async run(signal) {
      const nft = sessionNft(systemNft(commands), commands, signal);
      const metrics = registerPolicyMetrics(parts.metrics);
      const ownAddresses = addressReader(commands);
      const families = settings.families.map((family) => ({
        writer: new PolicyWriter(nft, { family, podPrefixes: [], podLinks: settings.podLinks }),
        ender: new FlowEnder({
          family,
          book: state.plans[family].book,
          flows: systemFlowReader(commands),
          conntrack: systemConntrack(commands),
          nft,
          ownAddresses: (options) => ownAddresses(family, options),
        }),
      }));
      await checkKernel(families, { signal });
      const keeper = new PolicyKeeper({
        state,
        families,
        denials: new DenialCounts(nft, state.reasons, metrics),
        metrics,
        clock,
        log,
        ...(settings.mayBridge && (await bridgeKeeper(parts, { signal }))),
      });
      let held = "";
      const putNode = ({ metadata, spec }: Node): void => {
        const cidrs = spec.podCIDRs ?? [];
        if (!settings.holdsUnknown || metadata.name !== name || cidrs.join() === held) return;
        held = cidrs.join();
        keeper.hold(cidrs.flatMap((text) => Prefix.tryParse(text) ?? []));
      };
      const collections = followPolicies({
        ...parts,
        state,
        putPod: (pod, key) => admission.put(pod, key),
        putNode,
        onChange: () => keeper.notify(),
      });
      log.info("keeping policies", { node: name });
      const health = await openHealthServer({
        listen: settings.healthAddress,
        metrics: parts.metrics,
        live: [{ name: "sync", check: () => checkSync(keeper) }],
      });
      await runAll(
        [
          ...collections,
          health,
          watchDeletions(parts, () => keeper.suspect()),
          {
            name: keeper.name,
            async run(stop) {
              const synced = Promise.all(collections.map((one) => one.synced));
              if (!(await isDoneBefore(stop, synced))) return;
              opened.resolve(keeper);
              await keeper.run(stop);
            },
          },
        ],
        signal,
      );
    },
  };
}

/** Throws when the kernel of this machine cannot enforce policies. */
async function checkKernel(
  families: readonly { readonly writer: PolicyWriter }[],
  options: CallOptions,
): Promise<void> {
  for (const { writer } of families) {
    try {
      await writer.check(options);
    } catch (cause) {
      if (!(cause instanceof HostError)) throw cause;
      const message = `Cannot keep ${writer.layout.family} policies: ${cause.message}`;
      throw new HostError(message, { reason: cause.reason, cause });
    }
  }
}

/** Shows bridged packets to the rules, and returns what keeps them shown; nothing where the kernel cannot. */
async function bridgeKeeper({ commands, log }: PolicyParts, options: CallOptions) {
  const sysctl = systemSysctl(commands);
  try {
    await showBridgedPackets({ sysctl, commands }, options);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    log.warn("Policies do not hold between pods of one bridge: br_netfilter is missing", { error });
    return {};
  }
  return { keepMachine: (now: CallOptions) => keepBridgedPackets(sysctl, now) };
}

function addressReader(commands: Commands) {
  const ip = systemIp(commands);
  return async (family: Family, options?: CallOptions): Promise<ReadonlySet<string>> => {
    const addresses = await ip.addresses(family, options);
    return new Set(addresses.map(({ address }) => address.toString()));
  };
}

function checkSync({ isReady, error }: PolicyKeeper): void {
  if (error !== undefined) throw new Error(messageOf(error), { cause: error });
  if (!isReady) throw new Error("policies have not been brought into the kernel yet");
}
