// The commands that users give: they make clusters, look into them and change them.

import type { CommandEntry } from "../base/command-line/command.ts";

export const clusterCommands: readonly CommandEntry[] = [
  {
    name: "up",
    summary: "Bring up a dual-stack cluster on this machine",
    load: () => import("./up.ts"),
  },
  {
    name: "down",
    summary: "Take the cluster on this machine down",
    load: () => import("./down.ts"),
  },
  {
    name: "status",
    summary: "Print how the cluster on this machine is",
    load: () => import("./status.ts"),
  },
  {
    name: "kubeconfig",
    summary: "Print the kubeconfig of the cluster on this machine",
    load: () => import("./kubeconfig.ts"),
  },
  {
    name: "shell",
    summary: "Open a shell in the network of a node, or outside",
    load: () => import("./shell.ts"),
  },
  {
    name: "describe",
    summary: "Print everything about a pod, service, node or endpoints",
    load: () => import("./describe.ts"),
  },
  {
    name: "trace",
    summary: "Follow a packet and tell what becomes of it",
    load: () => import("./trace.ts"),
  },
  {
    name: "check",
    summary: "Check who reaches whom in a cluster",
    load: () => import("./check.ts"),
  },
  {
    name: "dashboard",
    summary: "Show a cluster in a browser",
    load: () => import("./dashboard.ts"),
  },
  {
    name: "map",
    summary: "Draw the ways from outside to the pods of a cluster",
    load: () => import("./map.ts"),
  },
  {
    name: "top",
    summary: "Show the use of addresses, and connections of services",
    load: () => import("./top.ts"),
  },
  {
    name: "install",
    summary: "Give this machine a role in a cluster",
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
    load: () => import("./reset.ts"),
  },
  {
    name: "upgrade",
    summary: "Upgrade this machine, whose pods go on",
    load: () => import("./upgrade.ts"),
  },
  {
    name: "support-bundle",
    summary: "Collect what support asks for, without secrets",
    load: () => import("./support-bundle.ts"),
  },
  {
    name: "backup",
    summary: "Write a backup of a cluster, which may be running",
    load: () => import("./backup.ts"),
  },
  {
    name: "restore",
    summary: "Restore a cluster from a backup",
    load: () => import("./restore.ts"),
  },
  {
    name: "kubeadm",
    summary: "Work with configurations of kubeadm",
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
];
