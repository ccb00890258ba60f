// The commands that start one program of a cluster.

import type { CommandEntry } from "../base/command-line/command.ts";

export const programs: readonly CommandEntry[] = [
  {
    name: "server",
    summary: "Run the API server of a cluster",
    load: () => import("./server.ts"),
  },
  {
    name: "agent",
    summary: "Run a node of a cluster",
    load: () => import("./agent.ts"),
  },
  {
    name: "hollow",
    summary: "Run many nodes that start no containers",
    load: () => import("./hollow.ts"),
  },
  {
    name: "dns",
    summary: "Run the DNS server of a cluster",
    load: () => import("./dns.ts"),
  },
  {
    name: "ingress",
    summary: "Serve the Ingresses of a cluster",
    load: () => import("./ingress.ts"),
  },
  {
    name: "balancer",
    summary: "Assign and announce the addresses of load balancers",
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
    load: () => import("./watch-group.ts"),
  },
  {
    name: "vip",
    summary: "Keep and show the virtual addresses of a cluster",
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
    name: "install-service",
    summary: "Serve clusters that are to be installed",
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
];
