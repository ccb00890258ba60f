// Every command of `tandem`. To add one: write its file (version.ts is a small example; it exports
// `command = defineCommand({...})`), and add a line here; `commands: [...]` in place of `load` makes a group.

import type { Program } from "../base/command-line/command.ts";

export const tandem: Program = {
  name: "tandem",
  description:
    "Tandem runs pods and services with IPv4 and IPv6 side by side, on a Kubernetes-compatible API.",
  commands: [
    {
      name: "up",
      summary: "Bring up a dual-stack cluster on this machine",
      heading: "Cluster Commands",
      load: () => import("./up.ts"),
    },
    {
      name: "down",
      summary: "Take the cluster on this machine down",
      heading: "Cluster Commands",
      load: () => import("./down.ts"),
    },
    {
      name: "status",
      summary: "Print how the cluster on this machine is",
      heading: "Cluster Commands",
      load: () => import("./status.ts"),
    },
    {
      name: "kubeconfig",
      summary: "Print the kubeconfig of the cluster on this machine",
      heading: "Cluster Commands",
      load: () => import("./kubeconfig.ts"),
    },
    {
      name: "shell",
      summary: "Open a shell in the network of a node, or outside",
      heading: "Cluster Commands",
      load: () => import("./shell.ts"),
    },
    {
      name: "describe",
      summary: "Print everything about a pod, service, node or endpoints",
      heading: "Cluster Commands",
      load: () => import("./describe.ts"),
    },
    {
      name: "trace",
      summary: "Follow a packet and tell what becomes of it",
      heading: "Cluster Commands",
      load: () => import("./trace.ts"),
    },
    {
      name: "check",
      summary: "Check who reaches whom in a cluster",
      heading: "Cluster Commands",
      load: () => import("./check.ts"),
    },
    {
      name: "dashboard",
      summary: "Show a cluster in a browser",
      heading: "Cluster Commands",
      load: () => import("./dashboard.ts"),
    },
    {
      name: "map",
      summary: "Draw the ways from outside to the pods of a cluster",
      heading: "Cluster Commands",
      load: () => import("./map.ts"),
    },
    {
      name: "top",
      summary: "Show the use of addresses, and connections of services",
      heading: "Cluster Commands",
      load: () => import("./top.ts"),
    },
    {
      name: "install",
      summary: "Give this machine a role in a cluster",
      heading: "Cluster Commands",
      commands: [
        {
          name: "server",
          summary: "Make this machine a server of a cluster, and a node",
          load: () => import("./install/server.ts"),
        },
        {
          name: "agent",
          summary: "Make this machine a node of a cluster",
          load: () => import("./install/agent.ts"),
        },
      ],
    },
    {
      name: "reset",
      summary: "Take this machine's role in a cluster away",
      heading: "Cluster Commands",
      load: () => import("./reset.ts"),
    },
    {
      name: "upgrade",
      summary: "Upgrade this machine, whose pods go on",
      heading: "Cluster Commands",
      load: () => import("./upgrade.ts"),
    },
    {
      name: "support-bundle",
      summary: "Collect what support asks for, without secrets",
      heading: "Cluster Commands",
      load: () => import("./support-bundle.ts"),
    },
    {
      name: "backup",
      summary: "Write a backup of a cluster, which may be running",
      heading: "Cluster Commands",
      load: () => import("./backup.ts"),
    },
    {
      name: "restore",
      summary: "Restore a cluster from a backup",
      heading: "Cluster Commands",
      load: () => import("./restore.ts"),
    },
    {
      name: "server",
      summary: "Run the API server of a cluster",
      heading: "Programs",
      load: () => import("./server.ts"),
    },
    {
      name: "agent",
      summary: "Run a node of a cluster",
      heading: "Programs",
      load: () => import("./agent.ts"),
    },
    {
      name: "hollow",
      summary: "Run many nodes that start no containers",
      heading: "Programs",
      load: () => import("./hollow.ts"),
    },
    {
      name: "dns",
      summary: "Run the DNS server of a cluster",
      heading: "Programs",
      load: () => import("./dns.ts"),
    },
    {
      name: "ingress",
      summary: "Serve the Ingresses of a cluster",
      heading: "Programs",
      load: () => import("./ingress.ts"),
    },
    {
      name: "balancer",
      summary: "Assign and announce the addresses of load balancers",
      heading: "Programs",
      commands: [
        {
          name: "assign",
          summary: "Give services of type LoadBalancer their addresses",
          load: () => import("./balancer-assign.ts"),
        },
        {
          name: "announce",
          summary: "Keep this node's part in the addresses of load balancers",
          load: () => import("./balancer.ts"),
        },
      ],
    },
    {
      name: "watch-group",
      summary: "Tell of pods that join or leave a group",
      heading: "Programs",
      load: () => import("./watch-group.ts"),
    },
    {
      name: "vip",
      summary: "Keep and show the virtual addresses of a cluster",
      heading: "Programs",
      commands: [
        {
          name: "run",
          summary: "Keep this node's part in the virtual addresses",
          load: () => import("./vip/run.ts"),
        },
        {
          name: "status",
          summary: "Print who holds the virtual addresses",
          load: () => import("./vip/status.ts"),
        },
      ],
    },
    {
      name: "proxy",
      summary: "Keep and show the rules of services on a node",
      heading: "Programs",
      commands: [
        {
          name: "run",
          summary: "Keep the rules of services on this node",
          load: () => import("./proxy/run.ts"),
        },
        {
          name: "show",
          summary: "Show what a service became in the kernel",
          load: () => import("./proxy/show.ts"),
        },
        {
          name: "cleanup",
          summary: "Take all rules of services away",
          load: () => import("./proxy/cleanup.ts"),
        },
      ],
    },
    {
      name: "policy",
      summary: "Keep and explain network policies on a node",
      heading: "Programs",
      commands: [
        {
          name: "run",
          summary: "Keep network policies on this node",
          load: () => import("./policy/run.ts"),
        },
        {
          name: "show",
          summary: "Show what may come to a pod and go from it, and why",
          load: () => import("./policy/show.ts"),
        },
        {
          name: "log",
          summary: "Tell of every denial on this node as it happens",
          load: () => import("./policy/log.ts"),
        },
        {
          name: "cleanup",
          summary: "Take all rules of policies away",
          load: () => import("./policy/cleanup.ts"),
        },
      ],
    },
    {
      name: "kubeadm",
      summary: "Work with configurations of kubeadm",
      heading: "Cluster Commands",
      commands: [
        {
          name: "manifests",
          summary: "Print the manifests a configuration leads to",
          load: () => import("./kubeadm/manifests.ts"),
        },
      ],
    },
    {
      name: "image",
      summary: "Have images for pods: from archives or registries",
      heading: "Cluster Commands",
      commands: [
        {
          name: "load",
          summary: "Load the images of an archive",
          load: () => import("./image/load.ts"),
        },
        {
          name: "pull",
          summary: "Pull an image from its registry",
          load: () => import("./image/pull.ts"),
        },
        {
          name: "list",
          summary: "List the images that are there",
          load: () => import("./image/list.ts"),
        },
        {
          name: "remove",
          summary: "Remove images",
          load: () => import("./image/remove.ts"),
        },
      ],
    },
    {
      name: "install-config",
      summary: "Check and convert the install-config of a cluster",
      heading: "Cluster Commands",
      commands: [
        {
          name: "validate",
          summary: "Find everything that is wrong with an install-config",
          load: () => import("./install-config/validate.ts"),
        },
        {
          name: "migrate",
          summary: "Print an install-config without deprecated fields",
          load: () => import("./install-config/migrate.ts"),
        },
        {
          name: "render",
          summary: "Write the manifests and configurations an install-config leads to",
          load: () => import("./install-config/render.ts"),
        },
      ],
    },
    {
      name: "token",
      summary: "Make and revoke tokens with which machines join",
      heading: "Cluster Commands",
      commands: [
        {
          name: "create",
          summary: "Make a token",
          load: () => import("./token/create.ts"),
        },
        {
          name: "list",
          summary: "List the tokens",
          load: () => import("./token/list.ts"),
        },
        {
          name: "delete",
          summary: "Delete a token",
          load: () => import("./token/delete.ts"),
        },
      ],
    },
    {
      name: "ipam",
      summary: "See and mend what tandem-ipam has reserved",
      heading: "Cluster Commands",
      commands: [
        {
          name: "show",
          summary: "Show pools, their use, and who holds which address",
          load: () => import("./ipam/show.ts"),
        },
        {
          name: "release",
          summary: "Release addresses by hand",
          load: () => import("./ipam/release.ts"),
        },
        {
          name: "import",
          summary: "Take over the allocations of whereabouts pools",
          load: () => import("./ipam/import.ts"),
        },
        {
          name: "reconcile",
          summary: "Release addresses that no living pod needs",
          load: () => import("./ipam/reconcile.ts"),
        },
        {
          name: "serve",
          summary: "Do the work of every tandem-ipam on this machine",
          load: () => import("./ipam/serve.ts"),
        },
      ],
    },
    {
      name: "install-service",
      summary: "Serve clusters that are to be installed",
      heading: "Programs",
      commands: [
        {
          name: "run",
          summary: "Run the install service",
          load: () => import("./install-service/run.ts"),
        },
        {
          name: "migrate",
          summary: "Bring the database of the install service to a form",
          load: () => import("./install-service/migrate.ts"),
        },
      ],
    },
    {
      name: "completion",
      summary: "Print the completion script for a shell",
      heading: "Other Commands",
      load: () => import("./completion.ts"),
    },
    {
      name: "help",
      summary: "Print help about a command",
      heading: "Other Commands",
      load: () => import("./help.ts"),
    },
    {
      name: "version",
      summary: "Print the version of Tandem",
      heading: "Other Commands",
      load: () => import("./version.ts"),
    },
    {
      name: "docs",
      summary: "Print the reference of all commands as Markdown",
      hidden: true,
      load: () => import("./docs.ts"),
    },
    {
      name: "__supervise",
      summary: "Run a cluster inside of its namespaces",
      hidden: true,
      load: () => import("./supervise.ts"),
    },
    {
      name: "__complete",
      summary: "Print what a shell may offer next",
      hidden: true,
      load: () => import("./complete.ts"),
    },
  ],
};
