import { hostname } from "node:os";
import { defineCommand } from "../../base/command-line/command.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemCommands } from "../../base/host/command.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { families } from "../../base/net/family.ts";
import { Prefix } from "../../base/net/prefix.ts";
import { usedOfEachFamily } from "../../base/program/first-of-each-family.ts";
import { healthOptions } from "../../base/program/health-server.system.ts";
import { Registry } from "../../base/program/metrics.ts";
import { addressList, listenList, prefixList } from "../../base/program/network-option-types.ts";
import {
  boolean,
  listOf,
  oneOf,
  scalar,
  splitAtCommas,
  text,
} from "../../base/program/option-types.ts";
import type { OptionType } from "../../base/program/options.ts";
import { registerProcessMetrics } from "../../base/program/process-metrics.system.ts";
import { iptablesVariants, proxyModes } from "../../node/proxy/modes.ts";
import type { NodePortAddresses } from "../../node/proxy/proxy.ts";
import { cleanUp, runProxy } from "../../node/proxy/proxy.ts";
import { connectToApi, kubeconfigOptions } from "../../programs/connect/connect.ts";

export const command = defineCommand({
  description: `Keep the rules of services on this node, in both families, as the API server says of services and their endpoints. It works with any Kubernetes API server, in place of kube-proxy.

Rules stay in force when it ends; "tandem proxy cleanup" takes them away.`,
  examples: [
    {
      does: "Serve this node",
      command: "tandem proxy run --cluster-cidr 10.244.0.0/16,fd00:10:244::/56",
    },
    {
      does: "Serve node ports on every address, by iptables",
      command: "tandem proxy run --mode iptables --nodeport-addresses all",
    },
    {
      does: "Serve node ports on 127.0.0.1 as well",
      command: "tandem proxy run --nodeport-addresses 192.0.2.0/24,127.0.0.0/8",
    },
  ],
  options: {
    ...kubeconfigOptions,
    mode: { type: oneOf(proxyModes, "MODE"), default: "nftables", help: "How rules are written." },
    node: { type: text("NAME"), help: "The name of this node; the host's name when not given." },
    families: {
      type: listOf(oneOf(families)),
      default: families.join(","),
      help: "The families to keep rules of.",
    },
    bindAddress: {
      type: addressList(),
      default: "",
      help: "The node's address, the first of each family; else what its object says.",
    },
    clusterCidr: {
      type: prefixList(),
      default: "",
      help: "Where pods have their addresses, the first of each family: they are not masqueraded.",
    },
    nodeportAddresses: {
      type: nodePortAddresses(),
      default: "primary",
      help: "Where node ports are served: primary for the node's address of each family, all, or prefixes.",
    },
    proxyName: {
      type: text("NAME"),
      help: "Serve what is labelled with this name instead of what has no such label.",
    },
    allowReservedServiceAddresses: {
      type: boolean(),
      help: "Let services take addresses of this node and of pods, as Kubernetes does.",
    },
    masqueradeAll: {
      type: boolean(),
      default: false,
      help: "Let everything that goes to a cluster IP come from this node.",
    },
    iptablesVariant: {
      type: oneOf(iptablesVariants, "VARIANT"),
      default: "nft",
      help: "Which tools to use in mode iptables: nft or legacy.",
    },
    healthzAddress: {
      type: listenList(),
      default: ":10256",
      help: "Where load balancers ask /healthz; empty for nowhere.",
    },
    ...healthOptions(10_249),
    cleanup: {
      type: boolean(),
      default: false,
      env: false,
      help: "Take all rules away instead, and end.",
    },
  },
  async run({ options, env, log, signal }) {
    const commands = systemCommands();
    if (options.cleanup) return cleanUp({ commands, log }, { signal });
    const used = {
      bindAddress: usedOfEachFamily(options.bindAddress, { option: "--bind-address", log }),
      clusterCidr: usedOfEachFamily(options.clusterCidr, { option: "--cluster-cidr", log }),
    };
    const metrics = new Registry();
    registerProcessMetrics(metrics);
    const client = await connectToApi(options, { component: "tandem-proxy", env, metrics });
    const parts = { client, commands, clock: systemClock, random: systemRandom, log, metrics };
    try {
      await runProxy({ ...options, ...used, node: options.node ?? hostname() }, parts, signal);
    } finally {
      client.transport.close();
    }
  },
});

function nodePortAddresses(): OptionType<NodePortAddresses> {
  return scalar<NodePortAddresses>({
    placeholder: "primary|all|CIDR,...",
    parse(value) {
      if (value === "primary" || value === "all") return value;
      return splitAtCommas(value).map(Prefix.parse);
    },
  });
}
