import { defineCommand } from "../base/command-line/command.ts";
import { healthOptions } from "../base/program/health-server.system.ts";
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
import { proxyModes } from "../node/proxy/modes.ts";

export const command = defineCommand({
  description:
    "Run a node of a cluster: it registers this machine, gives pods their network, runs their " +
    "containers and probes, translates services, and keeps network policies.\n\n" +
    "A machine joins with a token, and knows the server by the hash of the cluster's root " +
    "certificate; `tandem token create --print-join-command` prints both. What it is given then is " +
    "kept in the data directory, so that the next start needs neither.",
  examples: [
    {
      does: "Join this machine to a cluster",
      command:
        "tandem agent --server https://10.0.0.5:6443 --token abcdef.0123456789abcdef --ca-hash sha256:…",
    },
    {
      does: "Join with the administrator's kubeconfig, under another name",
      command: "tandem agent --kubeconfig ./kubeconfig --node-name worker-1",
    },
    {
      does: "Name the addresses, and reach nodes behind routers",
      command: "tandem agent --node-ip 192.0.2.7,2001:db8::7 --route vxlan",
    },
  ],
  options: {
    server: { type: text("URL"), help: "The API server; the one joined last when not given." },
    token: { type: text(), help: "Proves that this machine may become a node." },
    caHash: {
      type: text("sha256:HASH"),
      help: "The hash of the cluster's root certificate's public key, by which the server is known.",
    },
    kubeconfig: {
      type: filePath(),
      env: false,
      help: "Joins as its user, who must be allowed to make tokens, in place of --token and --ca-hash.",
    },
    nodeName: { type: text("NAME"), help: "The name of the node; the host's name when not given." },
    nodeIp: {
      type: addressList(),
      default: "",
      help: "The node's addresses, one per family; else those it had before, or those that lead to the server.",
    },
    nodeLabels: {
      type: listOf(text("KEY=VALUE")),
      default: "",
      help: "Labels to put onto the node.",
    },
    registerWithTaints: {
      type: listOf(text("KEY=VALUE:EFFECT")),
      default: "",
      help: "Taints for the node when it is registered.",
    },
    maxPods: {
      type: integer({ min: 1, max: 10_000, placeholder: "COUNT" }),
      default: 110,
      help: "How many pods the node takes.",
    },
    dataDir: {
      type: directoryPath(),
      default: "/var/lib/tandem-agent",
      help: "What outlives a reboot: certificates, images, volumes, logs.",
    },
    runDir: {
      type: directoryPath(),
      default: "/run/tandem-agent",
      help: "What ends with the machine's uptime: sandboxes, reserved addresses.",
    },
    imageDir: {
      type: directoryPath(),
      help: "Where images are, which nodes of one machine may share; in the data directory when not given.",
    },
    cgroupParent: {
      type: text("PATH"),
      default: "/tandem",
      help: "Containers have their cgroups below this path and the node's name; empty for none.",
    },
    port: { type: port(), default: 10_250, help: "Where the API server reaches this node." },
    podCidr: {
      type: prefixList(),
      default: "",
      help: "The pods' addresses, one range per family, where the cluster gives nodes none.",
    },
    clusterCidr: {
      type: prefixList(),
      default: "",
      help: "Where all pods of the cluster have their addresses, one range per family; what comes to services from elsewhere is masqueraded.",
    },
    network: {
      type: oneOf(["bridge", "ptp"]),
      default: "bridge",
      help: "How pods are connected: by one bridge, or each by a link of its own.",
    },
    ipam: {
      type: oneOf(["host-local", "tandem"]),
      default: "host-local",
      help: "Who gives pods their addresses: host-local on this node, or tandem-ipam through the API.",
    },
    cniConfDir: {
      type: directoryPath(),
      help: "Where network configurations are; when not given, the agent writes one of its own.",
    },
    cniBinDir: {
      type: listOf(directoryPath()),
      default: "/opt/cni/bin,/usr/lib/cni",
      help: "Where CNI plugins are.",
    },
    cniDataDir: {
      type: directoryPath(),
      help: "Where plugins reserve addresses of networks that name no place; at their own places when not given.",
    },
    route: {
      type: oneOf(["direct", "vxlan", "auto", "none"]),
      default: "direct",
      help: "How pods of other nodes are reached: by the nodes' shared link, by VXLAN, by VXLAN where no link is shared, or as somebody else sees to.",
    },
    masquerade: {
      type: boolean(),
      default: true,
      help: "Give what leaves the cluster the node's address.",
    },
    nonMasqueradeCidr: {
      type: prefixList(),
      default: "",
      help: "Destinations outside of the cluster that see the pods' own addresses.",
    },
    proxyMode: {
      type: oneOf([...proxyModes, "none"]),
      default: "nftables",
      help: "How services are translated; none leaves them to another program.",
    },
    policies: {
      type: boolean(),
      default: true,
      help: "Keep network policies; otherwise they are another program's.",
    },
    announce: {
      type: boolean(),
      default: true,
      help: "Announce addresses of load balancers; otherwise they are another program's.",
    },
    preferredProbeIpFamily: {
      type: oneOf(["none", "ipv4", "ipv6", "dual-stack"]),
      default: "none",
      help: "Which of a pod's addresses probes go to: none for its first, dual-stack for any that answers.",
    },
    clusterDns: {
      type: addressList(),
      default: "",
      help: "Where pods ask for names; the node's own servers when not given.",
    },
    clusterDomain: {
      type: text("DOMAIN"),
      default: "cluster.local",
      help: "The domain of the cluster's names.",
    },
    staticPods: {
      type: directoryPath(),
      help: "A directory of pods to run whatever the API server says.",
    },
    allowHostImage: {
      type: listOf(text("NAMESPACE[/POD]")),
      default: "",
      help: "Who may use the images tandem.internal/host and /tandem, which hold this machine's programs: namespaces or pods, each may end in a star.",
    },
    hide: {
      type: listOf(directoryPath("PATH")),
      default: "",
      help: "Paths of /usr that these images do not show.",
    },
    allowedUnsafeSysctls: {
      type: listOf(text("NAME|NAME*")),
      default: "",
      help: "Settings of the kernel that pods may have besides the safe ones; only those of a namespace.",
    },
    seccompDefault: {
      type: boolean(),
      default: false,
      help: "Hold containers back from calls of the kernel by the runtime's profile, unless they say otherwise.",
    },
    podPidsLimit: {
      type: integer({ min: -1, max: 4_194_304, placeholder: "COUNT" }),
      default: -1,
      help: "How many processes each container of a pod may have; -1 for any number. It takes --cgroup-parent.",
    },
    runtimeHandlers: {
      type: listOf(text("NAME")),
      default: "runc",
      help: "The handlers that RuntimeClasses of pods may name on this node; all of them are its one runtime.",
    },
    ...healthOptions(10_248),
  },
  async run({ options, signal, log, env }) {
    const { runAgent } = await import("../programs/agent/agent.ts");
    await runAgent({ ...options, log, env }, signal);
  },
});
