import { defineCommand } from "../base/command-line/command.ts";
import { addressList, prefixList } from "../base/program/network-option-types.ts";
import {
  boolean,
  directoryPath,
  filePath,
  integer,
  listOf,
  oneOf,
  port,
  text,
} from "../base/program/option-types.ts";
import { upConfigOf } from "../install/kubeadm/kubeadm.ts";
import {
  ipams,
  networks,
  proxyModes,
  routings,
  stores,
  usualRanges,
} from "../programs/up/settings.ts";
import { nameOption } from "./cluster-name.ts";

export const command = defineCommand({
  description:
    "Bring up a whole dual-stack cluster on this machine: an API server and nodes, each a network " +
    "namespace on a LAN of their own, and a host outside of it. The machine's own network is not " +
    "touched. As an ordinary user it works the same, in a user namespace.\n\n" +
    "It stays in the foreground and stops the cluster at its end, keeping its data; with --detach " +
    "the cluster goes on until 'tandem down'. Brought up again it is the same cluster.",
  examples: [
    { does: "Bring up a cluster of three nodes", command: "tandem up --detach" },
    { does: "Put IPv6 first", command: "tandem up --pod-cidr fd00:10:244::/56,10.244.0.0/16" },
    { does: "Bring up a cluster with IPv6 only", command: "tandem up --pod-cidr fd00:10:244::/56" },
    {
      does: "Bring up another one beside it",
      command: "tandem up --detach --name two --nodes 1 --route vxlan",
    },
    { does: "Serve Ingresses as well", command: "tandem up --detach --ingress" },
    {
      does: "Survive the loss of a control plane",
      command:
        "tandem up --control-planes 3 --api-vips 192.168.111.5,fd00:111::5 --ingress-vips 192.168.111.6,fd00:111::6",
    },
  ],
  options: {
    ...nameOption,
    nodes: {
      type: integer({ min: 1, max: 100, placeholder: "COUNT" }),
      help: "How many nodes there are; 3 when not given.",
    },
    podCidr: {
      type: prefixList(),
      help: `Where pods have their addresses, one range per family; ${usualRanges.podCidr} when not given, also if services have one family only.`,
    },
    serviceCidr: {
      type: prefixList(),
      help: `Where services have theirs; ${usualRanges.serviceCidr} when not given. The first family is the pods' first.`,
    },
    nodeCidr: {
      type: prefixList(),
      help: `Where nodes have theirs; ${usualRanges.nodeCidr} when not given.`,
    },
    advertise: {
      type: addressList(),
      help: "The addresses of the API server in the nodes' range; the second ones when not given.",
    },
    network: { type: oneOf(networks), help: "How pods are connected; bridge when not given." },
    ipam: {
      type: oneOf(ipams),
      help: "Who gives pods their addresses; host-local when not given.",
    },
    route: {
      type: oneOf(routings),
      help: "How pods of other nodes are reached; direct when not given.",
    },
    proxyMode: {
      type: oneOf(proxyModes),
      help: "How services are translated; nftables when not given.",
    },
    store: {
      type: oneOf(stores),
      help: "What the API server keeps objects in; embedded when not given.",
    },
    dns: {
      type: boolean(),
      help: "Whether the cluster has a DNS server; it does when not given.",
    },
    ingress: {
      type: boolean(),
      help: "Whether Ingresses are served, by nginx at an address of a load balancer; they are not when not given.",
    },
    dashboard: {
      type: boolean(),
      help: "Whether the dashboard runs in the cluster, for everybody with a token of it and with that token's rights, reached by port-forwarding; it does not when not given.",
    },
    controlPlanes: {
      type: integer({ min: 1, max: 5, placeholder: "COUNT" }),
      help: "How many control planes there are: 1, which is no node, or 3 or 5 that are nodes as well, on an etcd of theirs.",
    },
    apiVips: {
      type: addressList(),
      help: "The virtual addresses of the API where there are several control planes, one per family; the eighth ones of the nodes' ranges when not given.",
    },
    ingressVips: {
      type: addressList(),
      help: "Those of ingress; the ninth ones when not given.",
    },
    port: {
      type: port(),
      help: "The port of the API on this machine's loopback; 6443, or another one where that is taken.",
    },
    hostAccess: {
      type: boolean(),
      help: "Let this machine reach nodes, pods and services, by an interface and routes; as root only.",
    },
    allowHostImage: {
      type: listOf(text("NAMESPACE[/POD]")),
      help: "Who may use the images tandem.internal/host and /tandem, which hold this machine's programs, besides kube-system.",
    },
    dataDir: { type: directoryPath(), help: "Where the cluster is kept." },
    kubeconfigOut: {
      type: filePath(),
      help: "A further place for the administrator's kubeconfig.",
    },
    dryRun: {
      type: boolean(),
      default: false,
      env: false,
      help: "Check everything and print what the cluster would be, in the form --config takes.",
    },
    detach: {
      type: boolean(),
      default: false,
      env: false,
      help: "Return when the cluster is ready, and leave it running.",
    },
  },
  foreignConfig: upConfigOf,
  async run({ options, signal, stdout, stderr, env }) {
    const { runUp } = await import("../programs/up/up.ts");
    return await runUp(options, { stdout, stderr, env }, signal);
  },
});
