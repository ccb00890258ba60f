import { defineCommand } from "../base/command-line/command.ts";
import { addressList, listenList, prefixList } from "../base/program/network-option-types.ts";
import {
  boolean,
  directoryPath,
  duration,
  filePath,
  integer,
  listOf,
  port,
  text,
} from "../base/program/option-types.ts";
import { serverConfigOf } from "../install/kubeadm/kubeadm.ts";

export const command = defineCommand({
  description:
    "Run the API server of a cluster, with its controllers.\n\n" +
    "Objects are kept in a store in the data directory, or in etcd; several servers on one etcd serve " +
    "the same cluster. The first start makes the cluster's certificate authority and its keys.",
  examples: [
    {
      does: "Serve on loopback and write a kubeconfig for the administrator",
      command: "tandem server --data-dir ./data --kubeconfig-out ./kubeconfig",
    },
    {
      does: "Serve both families, with dual-stack services",
      command:
        "tandem server --listen '10.0.0.5:6443,[fd00::5]:6443' --service-cidr 10.96.0.0/16,fd00:96::/112",
    },
    {
      does: "Give every node pod CIDRs of both families",
      command: "tandem server --cluster-cidr 10.244.0.0/16,fd00:10:244::/56",
    },
    {
      does: "Keep the objects in a cluster of etcd",
      command: "tandem server --store etcd://10.0.0.5:2379,10.0.0.6:2379,10.0.0.7:2379",
    },
  ],
  options: {
    dataDir: {
      type: directoryPath(),
      default: "/var/lib/tandem",
      help: "Where the embedded store and the server's certificate are kept.",
    },
    listen: {
      type: listenList(),
      default: "localhost:6443",
      help: "Addresses to serve on, of either family.",
    },
    bindAddress: {
      type: addressList(),
      default: "",
      help: "As for kube-apiserver: addresses to serve on at --secure-port, the first of each family, in place of --listen.",
    },
    securePort: { type: port(), default: 6443, help: "The port with --bind-address." },
    listenFd: {
      type: listOf(text()),
      default: "",
      help: "File descriptors of sockets that listen already, inherited from the parent.",
    },
    store: {
      type: text(),
      default: "embedded",
      help: "The word 'embedded' for a store in the data directory, or etcd://HOST:PORT,… (etcd+http:// without TLS).",
    },
    etcdPki: {
      type: directoryPath(),
      help: "Where the root and the certificate of this machine's member of etcd are, as 'tandem install' has made them; the certificate is renewed.",
    },
    serviceCidr: {
      type: prefixList(),
      default: "10.96.0.0/16",
      help: "Where services have their addresses; one per family, the first is the default family.",
    },
    serviceClusterIpRange: {
      type: prefixList(),
      default: "",
      help: "What kube-apiserver calls --service-cidr; if given, that one counts for nothing.",
    },
    clusterCidr: {
      type: prefixList(),
      default: "",
      help: "Where nodes have their pod CIDRs; one per family, the first is the pods' first family. Without it nodes are given none.",
    },
    nodeCidrMaskSizeIpv4: {
      type: integer({ min: 1, max: 31, placeholder: "LENGTH" }),
      flag: "node-cidr-mask-size-ipv4",
      env: "TANDEM_NODE_CIDR_MASK_SIZE_IPV4",
      help: "The length of a node's IPv4 pod CIDR; 24 when not given.",
    },
    nodeCidrMaskSizeIpv6: {
      type: integer({ min: 1, max: 127, placeholder: "LENGTH" }),
      flag: "node-cidr-mask-size-ipv6",
      env: "TANDEM_NODE_CIDR_MASK_SIZE_IPV6",
      help: "The length of a node's IPv6 pod CIDR; when not given, 64, or 16 more than the cluster CIDR has where that is longer than 56.",
    },
    nodeMonitorGracePeriod: {
      type: duration(),
      default: "40s",
      help: "How long a node may be silent before its pods are given up.",
    },
    controllers: {
      type: listOf(text("NAME")),
      default: "*",
      help: "The controllers to run: names, '*' for all, '-NAME' to leave one out. Of several servers' one runs each.",
    },
    kubeconfigOut: {
      type: filePath(),
      help: "Where to write a kubeconfig for the administrator.",
    },
    advertise: {
      type: text(),
      help: "The URL in that kubeconfig, when it is not the first address served on.",
    },
    tlsSan: {
      type: listOf(text()),
      default: "",
      help: "Further names and addresses for the server's certificate.",
    },
    auditLog: {
      type: filePath(),
      help: "A file that gets a line of JSON per request: who asked for what, and how it ended.",
    },
    admissionControlConfigFile: {
      type: filePath(),
      help: "A PodSecurityConfiguration: levels of Pod Security where namespaces name none, and exemptions.",
    },
    authenticationConfig: {
      type: filePath(),
      help: "An AuthenticationConfiguration: issuers whose ID tokens are accepted (OpenID Connect), and who may come without any.",
    },
    authenticationTokenWebhookConfigFile: {
      type: filePath(),
      help: "A kubeconfig that leads to a server which is asked about tokens nobody here knows.",
    },
    serviceAccountIssuer: {
      type: text("URL"),
      default: "https://kubernetes.default.svc.cluster.local",
      help: "Who issues the tokens of service accounts, as others see it.",
    },
    serviceAccountJwksUri: {
      type: text("URL"),
      help: "Where others find the keys of those tokens, when that is not below the issuer.",
    },
    auditLogPath: {
      type: filePath(),
      help: "The same under the name it has in kube-apiserver.",
    },
    auditPolicyFile: {
      type: filePath(),
      help: "A Policy of audit.k8s.io/v1: which requests are written down, and how much of them.",
    },
    auditLogMaxsize: {
      type: integer({ min: 0, placeholder: "MEGABYTES" }),
      default: "100",
      help: "The size at which the audit log is set aside; 0 never does.",
    },
    auditLogMaxbackup: {
      type: integer({ min: 0, placeholder: "FILES" }),
      default: "0",
      help: "How many audit logs that were set aside are kept; 0 keeps all.",
    },
    auditLogMaxage: {
      type: integer({ min: 0, placeholder: "DAYS" }),
      default: "0",
      help: "For how many days audit logs that were set aside are kept; 0 keeps them for ever.",
    },
    auditWebhookConfigFile: {
      type: filePath(),
      help: "A kubeconfig that says where audit events are sent to.",
    },
    auditWebhookBatchMaxSize: {
      type: integer({ min: 1, placeholder: "EVENTS" }),
      default: "400",
      help: "How many audit events are sent at once, at most.",
    },
    auditWebhookBatchMaxWait: {
      type: duration(),
      default: "30s",
      help: "How long audit events wait for others, at most.",
    },
    auditWebhookBatchBufferSize: {
      type: integer({ min: 1, placeholder: "EVENTS" }),
      default: "10000",
      help: "How many audit events may wait to be sent.",
    },
    maxRequestsInflight: {
      type: integer({ min: 1, placeholder: "REQUESTS" }),
      default: "400",
      help: "With --max-mutating-requests-inflight: the seats that priority levels share.",
    },
    maxMutatingRequestsInflight: {
      type: integer({ min: 1, placeholder: "REQUESTS" }),
      default: "200",
      help: "With --max-requests-inflight: the seats that priority levels share.",
    },
    allowReservedServiceAddresses: {
      type: boolean(),
      help: "Let services take addresses of nodes, pods, the API and other services, as Kubernetes does.",
    },
    encryptionProviderConfig: {
      type: filePath(),
      help: "An EncryptionConfiguration: which resources are encrypted in the store, and with which keys.",
    },
    acceptStoreLoss: {
      type: boolean(),
      help: "Go on although the embedded store has lost the end of what was acknowledged.",
    },
    newCluster: {
      type: boolean(),
      help: "Make a new cluster although the data directory has certificates of another one.",
    },
    tokenFile: {
      type: filePath(),
      help: 'A file of fixed bearer tokens, one token,user,uid,"group1,group2" a line.',
    },
  },
  foreignConfig: serverConfigOf,
  async run({ options, signal, log }) {
    const { runServer } = await import("../programs/server/server.ts");
    await runServer({ ...options, log }, signal);
  },
});
