import { defineCommand } from "../base/command-line/command.ts";
import { healthOptions } from "../base/program/health-server.system.ts";
import { hostPortList, listenList, prefixList } from "../base/program/network-option-types.ts";
import { boolean, duration, filePath, integer, text } from "../base/program/option-types.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";

export const command = defineCommand({
  description:
    "Run the DNS server of a cluster.\n\n" +
    "It answers for services, their endpoints and pods from what the API server says of them, over " +
    "UDP and TCP and in both families, and asks upstream servers about everything else. It works with " +
    "any Kubernetes API server.",
  examples: [
    {
      does: "Serve on an address of each family",
      command: "tandem dns --listen '10.96.0.10:53,[fd00:96::a]:53' --kubeconfig ./kubeconfig",
    },
    {
      does: "Ask two servers about the rest of the world",
      command: "tandem dns --listen localhost:5353 --upstream 192.0.2.1,[2001:db8::1]:53",
    },
  ],
  options: {
    listen: {
      type: listenList(),
      default: ":53",
      help: "Addresses to answer on, over UDP and TCP. On a machine with several addresses name each.",
    },
    ...kubeconfigOptions,
    clusterDomain: {
      type: text("DOMAIN"),
      default: "cluster.local",
      help: "The domain of the cluster's names.",
    },
    ttl: {
      type: integer({ min: 0, max: 86_400, placeholder: "SECONDS" }),
      default: 5,
      help: "How long others may remember answers about the cluster.",
    },
    service: {
      type: text("NAMESPACE/NAME"),
      default: "kube-system/kube-dns",
      help: "The service this server is reached at, whose addresses the name server of the domain has.",
    },
    reverseCidrs: {
      type: prefixList(),
      default: "",
      help: "Pod and service networks: addresses in them that have no name are not asked for upstream.",
    },
    upstream: {
      type: hostPortList({ port: 53 }),
      default: "",
      help: "Servers to ask about everything else, the first that answers; else those of --resolv-conf.",
    },
    resolvConf: {
      type: filePath(),
      default: "/etc/resolv.conf",
      help: "The file that names upstream servers if --upstream does not; empty for none.",
    },
    upstreamTimeout: {
      type: duration(),
      default: "2s",
      help: "How long an upstream server may take before the next one is asked.",
    },
    cacheSize: {
      type: integer({ min: 0, max: 4096, placeholder: "MIB" }),
      default: 16,
      help: "How much memory answers from upstream may take, in MiB.",
    },
    serveStale: {
      type: duration(),
      default: "0",
      help: "How long answers are given after their time while no upstream server answers.",
    },
    autopath: {
      type: boolean(),
      default: false,
      help: "Answer pods at once for the name that their search list would lead to, one question for many.",
    },
    queryLog: {
      type: boolean(),
      default: false,
      help: "Log every question with its answer's code.",
    },
    ...healthOptions(9153),
  },
  async run({ options, signal, log, env }) {
    // A small pool for Buffers: answers are cut from blocks of this size, and larger blocks reach the old
    // generation of the heap before they are used up.
    Buffer.poolSize = 8192;
    const { runDns } = await import("../edge/dns/dns.ts");
    const { openDnsParts } = await import("../programs/dns/dns.ts");
    const { beginAnewIfCompiling } = await import("../programs/dns/dns.ts");
    beginAnewIfCompiling();
    const parts = await openDnsParts(options, { component: "tandem-dns", env });
    try {
      await runDns(options, { ...parts, log, onRead: giveBack }, signal);
    } finally {
      parts.client.transport.close();
    }
  },
});

/**
 * Collects garbage once after the first read of all objects, which takes far more memory than they keep;
 * later allocations are too few to trigger a collection.
 */
function giveBack(): void {
  globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
}
