// Wires the network policies of a node, and the pods' wait for them.

import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Part } from "../../base/program/run-all.ts";
import type { PodNetwork } from "../../node/pods/pods.ts";
import {
  defaultPolicySettings,
  type NodePolicies,
  openPolicies,
} from "../../node/policy/policy.ts";
import type { AgentSettings, NodeParts } from "./settings.ts";

export interface AgentPolicies {
  readonly parts: readonly Part[];
  /** Wraps a pod network so that a pod gets its network only once its policies are in the kernel. */
  guard(network: PodNetwork): PodNetwork;
}

export function policiesOf(settings: AgentSettings, node: NodeParts): AgentPolicies {
  if (!settings.policies) return { parts: [], guard: (network) => network };
  const isOwnNetwork = settings.cniConfDir === undefined;
  const links = settings.network === "bridge" ? ["cbr0"] : ["veth*"];
  const policies = openPolicies(
    {
      ...defaultPolicySettings,
      node: node.name,
      holdsUnknown: isOwnNetwork,
      podLinks: isOwnNetwork ? links : [],
      mayBridge: !isOwnNetwork || settings.network === "bridge",
    },
    {
      client: node.membership.client,
      commands: systemCommands(),
      clock: systemClock,
      random: systemRandom,
      log: settings.log,
      metrics: node.metrics,
    },
  );
  return {
    parts: [{ name: "policies", run: (signal) => policies.run(signal) }],
    guard: (network) => guarded(network, policies),
  };
}

function guarded(network: PodNetwork, policies: NodePolicies): PodNetwork {
  return {
    detach: (sandbox, options) => network.detach(sandbox, options),
    collect: (listSandboxes, options) => network.collect(listSandboxes, options),
    async attach(request) {
      const addresses = await network.attach(request);
      await beforeAbort(policies.admit(request.pod, addresses), request.signal);
      return addresses;
    },
  };
}

async function beforeAbort(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal?.reason as Error);
  signal?.addEventListener("abort", stop, { once: true });
  signal?.throwIfAborted();
  try {
    await Promise.race([work, promise]);
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
