import { defineCommand } from "../base/command-line/command.ts";
import { prefixList } from "../base/program/network-option-types.ts";
import {
  boolean,
  directoryPath,
  durationRange,
  integer,
  listOf,
  oneOf,
  text,
} from "../base/program/option-types.ts";
import { kubeconfigOptions } from "../programs/connect/connect.ts";
import { watchGroups } from "../programs/hollow/watches.ts";

export const command = defineCommand({
  description:
    "Run many nodes that start no containers.\n\n" +
    "They are the agent's own code on machines that are not there: they register, renew their leases, take " +
    "pods, tell of events and status, and watch what agents watch. Pods get addresses, become Ready after a " +
    "drawn time and end when they are deleted; nothing runs, and no packet arrives anywhere. That is for " +
    "trying controllers, schedulers and servers with more nodes than there are machines, with any " +
    "Kubernetes API server.\n\n" +
    "Nodes have the label tandem.internal/hollow=true and stay when the program ends, as machines that are " +
    "switched off; 'kubectl delete nodes -l tandem.internal/hollow' removes them.",
  examples: [
    {
      does: "Add a hundred nodes to the cluster of 'tandem up', which take only pods that tolerate them",
      command: "tandem hollow --nodes 100 --register-with-taints hollow=true:NoSchedule",
    },
    {
      does: "Run pods that take 1 to 30 seconds to become Ready, the same ones every time",
      command: "tandem hollow --nodes 20 --ready-after 1s..30s --seed 7 --kubeconfig ./kubeconfig",
    },
    {
      does: "Have every node join with certificates of its own, and let jobs complete",
      command: "tandem hollow --nodes 50 --join --end-after 5s..10s --kubeconfig ./kubeconfig",
    },
  ],
  options: {
    nodes: {
      type: integer({ min: 1, max: 10_000, placeholder: "COUNT" }),
      default: 10,
      help: "How many nodes there are.",
    },
    nodePrefix: {
      type: text("NAME"),
      default: "hollow",
      help: "What the nodes' names begin with, before a number.",
    },
    first: {
      type: integer({ min: 0, max: 1_000_000, placeholder: "NUMBER" }),
      default: 0,
      help: "The number of the first node, so that several programs can have different ones.",
    },
    seed: {
      type: integer({ min: 0 }),
      default: 1,
      help: "What all drawn times follow from: the same seed draws the same ones for each node.",
    },
    readyAfter: {
      type: durationRange(),
      default: "1s..5s",
      help: "How long pulling an image takes, after which its container runs and is ready.",
    },
    endAfter: {
      type: durationRange(),
      help: "When containers of pods that are not always restarted end, with success; never when not given.",
    },
    startRate: {
      type: integer({ min: 1, max: 1_000, placeholder: "COUNT" }),
      default: 50,
      help: "How many nodes are started in a second.",
    },
    watches: {
      type: listOf(oneOf(watchGroups)),
      default: watchGroups.join(","),
      help: "Which parts of an agent watch, besides the watches of its own node, pods and services.",
    },
    ...kubeconfigOptions,
    join: {
      type: boolean(),
      default: false,
      help: "Give each node certificates of its own, by one token that is made as the kubeconfig's user; otherwise every node is that user.",
    },
    server: { type: text("URL"), help: "The API server, for --token." },
    token: { type: text(), help: "The token by which the nodes join, in place of a kubeconfig." },
    caHash: {
      type: text("sha256:HASH"),
      help: "The hash of the cluster's root certificate's public key, for --token.",
    },
    dataDir: {
      type: directoryPath(),
      default: "/var/lib/tandem-hollow",
      help: "Certificates of nodes that join, and volumes that are directories, which stay empty.",
    },
    nodeLabels: {
      type: listOf(text("KEY=VALUE")),
      default: "",
      help: "Labels to put onto the nodes.",
    },
    registerWithTaints: {
      type: listOf(text("KEY=VALUE:EFFECT")),
      default: "",
      help: "Taints for the nodes when they are registered.",
    },
    nodeCidr: {
      type: prefixList(),
      default: "198.18.0.0/15,2001:2::/48",
      help: "The nodes' addresses, one range per family; the default ranges are for benchmarks, and nobody has them.",
    },
    podCidr: {
      type: prefixList(),
      default: "",
      help: "What is cut into a /24 or a /64 for each node's pods, where the cluster gives nodes none.",
    },
    cpus: {
      type: integer({ min: 1, max: 10_000, placeholder: "COUNT" }),
      default: 8,
      help: "How many processors each node says it has.",
    },
    memoryGib: {
      type: integer({ min: 1, max: 100_000, placeholder: "GIB" }),
      default: 32,
      help: "How much memory each node says it has, in GiB.",
    },
    maxPods: {
      type: integer({ min: 1, max: 10_000, placeholder: "COUNT" }),
      default: 110,
      help: "How many pods each node takes.",
    },
  },
  async run({ options, signal, log, env }) {
    const { runHollow } = await import("../programs/hollow/hollow.ts");
    await runHollow({ ...options, log, env }, signal);
  },
});
