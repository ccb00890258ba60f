import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { nodeOf, podOf } from "../../workloads/testing/objects.ts";
import { app, appTerm, choose, type On, zone } from "../testing/choose.ts";

const required = <T>(term: T) => ({ requiredDuringSchedulingIgnoredDuringExecution: [term] });

describe("what rules a node out", () => {
  const cases: [name: string, pod: Pod, nodes: Node[], placed: On[], expected: string][] = [
    ["no node", podOf("p"), [], [], "no nodes available to schedule pods"],
    [
      "too little of two resources",
      podOf("p", { requests: { cpu: "8", memory: "16Gi" } }),
      [nodeOf("a"), nodeOf("b", { allocatable: { memory: "32Gi" } })],
      [],
      "0/2 nodes are available: 1 Insufficient memory, 2 Insufficient cpu.",
    ],
    [
      "what others have taken",
      podOf("p", { requests: { cpu: "3" } }),
      [nodeOf("a")],
      [[podOf("q", { requests: { cpu: "2" } }), "a"]],
      "0/1 nodes are available: 1 Insufficient cpu.",
    ],
    [
      "the number of pods",
      podOf("p"),
      [nodeOf("a", { allocatable: { pods: "1" } })],
      [[podOf("q"), "a"]],
      "0/1 nodes are available: 1 Too many pods.",
    ],
    [
      "resources only some nodes have",
      podOf("p", { requests: { "example.com/gpu": "1" } }),
      [nodeOf("a"), nodeOf("b", { allocatable: { "example.com/gpu": "1" } })],
      [],
      "b",
    ],
    [
      "a closed node",
      podOf("p"),
      [nodeOf("a", { spec: { unschedulable: true } }), nodeOf("b")],
      [],
      "b",
    ],
    [
      "a closed node, for those who do not mind",
      podOf("p", {
        spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] },
      }),
      [nodeOf("a", { spec: { unschedulable: true } })],
      [],
      "a",
    ],
    [
      "taints",
      podOf("p"),
      [
        nodeOf("a", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } }),
        nodeOf("b", { spec: { unschedulable: true } }),
        nodeOf("c", { spec: { taints: [{ key: "k", effect: "NoExecute" }] } }),
      ],
      [],
      "0/3 nodes are available: 1 node(s) had untolerated taint {k: v}, 1 node(s) had untolerated taint {k: }, 1 node(s) were unschedulable.",
    ],
    [
      "taints that are tolerated",
      podOf("p", { spec: { tolerations: [{ key: "k", value: "v", effect: "NoSchedule" }] } }),
      [nodeOf("a", { spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } })],
      [],
      "a",
    ],
    [
      "node selectors",
      podOf("p", { spec: { nodeSelector: { zone: "z" } } }),
      [nodeOf("a"), nodeOf("b", zone("z"))],
      [],
      "b",
    ],
    [
      "node selectors that fit nowhere",
      podOf("p", { spec: { nodeSelector: { zone: "z" } } }),
      [nodeOf("a"), nodeOf("b")],
      [],
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
    ],
    [
      "node affinity: one term is enough, all of it must hold",
      podOf("p", {
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  {},
                  { matchFields: [{ key: "metadata.name", operator: "In", values: ["c"] }] },
                  {
                    matchExpressions: [
                      { key: "zone", operator: "Exists" },
                      { key: "size", operator: "Gt", values: ["3"] },
                    ],
                  },
                ],
              },
            },
          },
        },
      }),
      [
        nodeOf("a", { labels: { zone: "z", size: "3" } }),
        nodeOf("b", { labels: { zone: "z", size: "4" }, spec: { unschedulable: true } }),
        nodeOf("c", { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
        nodeOf("d", { labels: { zone: "z", size: "4" } }),
      ],
      [],
      "d",
    ],
    [
      "pods near: none is",
      podOf("p", { spec: { affinity: { podAffinity: required(appTerm("web")) } } }),
      [nodeOf("a", zone("z"))],
      [],
      "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
    ],
    [
      "pods near: the zone of one",
      podOf("p", { spec: { affinity: { podAffinity: required(appTerm("web")) } } }),
      [nodeOf("a", zone("y")), nodeOf("b", zone("z")), nodeOf("c", zone("z"))],
      [
        [podOf("q", app("web")), "c"],
        [podOf("r", { metadata: { namespace: "other", labels: { app: "web" } } }), "a"],
        [podOf("s", { requests: { cpu: "4" } }), "c"],
      ],
      "b",
    ],
    [
      "pods near: the first of its kind goes anywhere with the label",
      podOf("p", {
        ...app("web"),
        spec: { affinity: { podAffinity: required(appTerm("web")) } },
      }),
      [nodeOf("a"), nodeOf("b", zone("z"))],
      [],
      "b",
    ],
    [
      "pods near: in namespaces that are selected",
      podOf("p", {
        spec: {
          affinity: {
            podAffinity: required({
              ...appTerm("web"),
              namespaceSelector: { matchLabels: { name: "other" } },
            }),
          },
        },
      }),
      [nodeOf("a", zone("y")), nodeOf("b", zone("z"))],
      [
        [podOf("q", { metadata: { namespace: "other", labels: { app: "web" } } }), "a"],
        [podOf("r", app("web")), "b"],
      ],
      "a",
    ],
    [
      "pods far: not where one is",
      podOf("p", { spec: { affinity: { podAntiAffinity: required(appTerm("web")) } } }),
      [nodeOf("a", zone("z")), nodeOf("b", zone("z"))],
      [[podOf("q", app("web")), "a"]],
      "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.",
    ],
    [
      "pods far: not where one is that wants so",
      podOf("p", app("web")),
      [nodeOf("a", zone("z")), nodeOf("b", zone("z"))],
      [[podOf("q", { spec: { affinity: { podAntiAffinity: required(appTerm("web")) } } }), "a"]],
      "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules.",
    ],
  ];
  for (const [name, pod, nodes, placed, expected] of cases) {
    test(name, () => assert.equal(choose(pod, nodes, placed), expected));
  }
});
