import { defineCommand } from "../../base/command-line/command.ts";
import { addressList, prefixList } from "../../base/program/network-option-types.ts";
import {
  boolean,
  duration,
  filePath,
  listOf,
  oneOf,
  text,
} from "../../base/program/option-types.ts";
import { routings } from "../../install/machine/machine.ts";
import { ipams, networks, proxyModes, usualRanges } from "../../programs/up/settings.ts";
import { nodeOptions } from "./options.ts";

export const command = defineCommand({
  description:
    "Make this machine a server of a cluster, and a node as well, by the units of the package.\n\n" +
    "Configuration is written to /etc/tandem, units are enabled and started, and when the node is ready the " +
    "command by which other machines join is printed. Run again it changes nothing, unless it is told " +
    "otherwise; what somebody else has written into the configuration stays.\n\n" +
    "Several servers share an etcd. With --api-vips or --etcd each of them runs a member of it, by Debian's " +
    "package etcd-server; --etcd-servers names one that you have instead. Virtual addresses lead to whichever of " +
    "them is alive. The first server prints the command by which others join.",
  examples: [
    { does: "Make the first server of a cluster", command: "tandem install server" },
    { does: "See what that would do", command: "tandem install server --dry-run" },
    {
      does: "Make the first of several servers",
      command:
        "tandem install server --api-vips 192.0.2.8,2001:db8::8 --ingress-vips 192.0.2.9,2001:db8::9",
    },
    {
      does: "Make a further server",
      command:
        "tandem install server --join https://192.0.2.8:6443 --token abcdef.0123456789abcdef --ca-hash sha256:…",
    },
    {
      does: "Make the first of several servers on an etcd that you have",
      command:
        "tandem install server --etcd-servers https://192.0.2.20:2379 --etcd-cafile /etc/etcd/ca.crt " +
        "--api-vips 192.0.2.8,2001:db8::8 --ingress-vips 192.0.2.9,2001:db8::9",
    },
  ],
  options: {
    ...nodeOptions,
    podCidr: {
      type: prefixList(),
      env: false,
      help: `Where pods have their addresses, one range per family; ${usualRanges.podCidr} when not given.`,
    },
    serviceCidr: {
      type: prefixList(),
      env: false,
      help: `Where services have theirs; ${usualRanges.serviceCidr} when not given. The first family is the pods' first.`,
    },
    network: {
      type: oneOf(networks),
      env: false,
      help: "How pods are connected; bridge when not given.",
    },
    ipam: {
      type: oneOf(ipams),
      env: false,
      help: "Who gives pods their addresses; host-local when not given.",
    },
    route: {
      type: oneOf(routings),
      env: false,
      help: "How pods of other nodes are reached; auto when not given: directly on a shared link, else by VXLAN.",
    },
    proxyMode: {
      type: oneOf(proxyModes),
      env: false,
      help: "How services are translated; nftables when not given.",
    },
    node: {
      type: boolean(),
      default: true,
      env: false,
      help: "Whether this machine is a node, too.",
    },
    dns: {
      type: boolean(),
      default: true,
      env: false,
      help: "Whether the cluster has a DNS server.",
    },
    ingress: {
      type: boolean(),
      default: false,
      env: false,
      help: "Whether Ingresses are served, by nginx.",
    },
    balancerAddresses: {
      type: listOf(text("FIRST-LAST")),
      default: "",
      env: false,
      help: "Ranges of the machines' network that load balancers get their addresses from; nobody else may use them.",
    },
    etcd: {
      type: boolean(),
      env: false,
      help: "Whether each server runs a member of etcd; with --api-vips and without --etcd-servers they do.",
    },
    etcdServers: {
      type: listOf(text("URL")),
      default: "",
      env: false,
      help: "An etcd that you have and that keeps objects, as for kube-apiserver.",
    },
    etcdCafile: { type: filePath(), env: false, help: "The root of that etcd's certificates." },
    etcdCertfile: {
      type: filePath(),
      env: false,
      help: "The certificate of a client of that etcd.",
    },
    etcdKeyfile: { type: filePath(), env: false, help: "The key of that certificate." },
    apiVips: {
      type: addressList(),
      env: false,
      help: "Virtual addresses of the API where there are several servers, one per family.",
    },
    ingressVips: { type: addressList(), env: false, help: "Those of ingress, as many." },
    tlsSan: {
      type: listOf(text()),
      default: "",
      env: false,
      help: "Further names and addresses for the server's certificate.",
    },
    tokenTtl: {
      type: duration(),
      default: "24h",
      env: false,
      help: "How long machines can join by the command that is printed.",
    },
  },
  async run({ options, stdout, stderr, env, log, signal }) {
    const { installServer } = await import("../../programs/machine/machine.ts");
    await installServer(options, { stdout, stderr, env, log }, signal);
  },
});
