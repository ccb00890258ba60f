import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node, Pod } from "../../../../api/types/core.ts";
import { nodeOf, podOf } from "../../workloads/testing/objects.ts";
import { app, appTerm, choose, type On, zone } from "../testing/choose.ts";

const prefer = <T>(podAffinityTerm: T) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 10, podAffinityTerm }],
});

describe("which of several nodes", () => {
  const owned = (name: string) =>
    podOf(name, {
      metadata: {
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r", controller: true },
        ],
      },
    });
  const cases: [name: string, pod: Pod, nodes: Node[], placed: On[], expected: string][] = [
    [
      "the one with more room",
      podOf("p"),
      [nodeOf("a"), nodeOf("b")],
      [[podOf("q", { requests: { cpu: "1", memory: "1Gi" } }), "a"]],
      "b",
    ],
    [
      "the one without siblings, though it has less room",
      owned("p"),
      [nodeOf("a"), nodeOf("b")],
      [
        [owned("q"), "a"],
        [podOf("r", { requests: { cpu: "1", memory: "1Gi" } }), "b"],
      ],
      "b",
    ],
    [
      "a zone without siblings",
      owned("p"),
      [
        nodeOf("a", { labels: { "topology.kubernetes.io/zone": "y" } }),
        nodeOf("b", { labels: { "topology.kubernetes.io/zone": "y" } }),
        nodeOf("c", { labels: { "topology.kubernetes.io/zone": "z" } }),
      ],
      [[owned("q"), "a"]],
      "c",
    ],
    [
      "a preferred one",
      podOf("p", {
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 1,
                  preference: {
                    matchExpressions: [{ key: "zone", operator: "In", values: ["z"] }],
                  },
                },
              ],
            },
          },
        },
      }),
      [nodeOf("a"), nodeOf("b", zone("z"))],
      [[podOf("q", { requests: { cpu: "2" } }), "b"]],
      "b",
    ],
    [
      "not one with a taint that would rather have none",
      podOf("p"),
      [nodeOf("a", { spec: { taints: [{ key: "k", effect: "PreferNoSchedule" }] } }), nodeOf("b")],
      [[podOf("q", { requests: { cpu: "2" } }), "b"]],
      "b",
    ],
    [
      "near to a pod it likes",
      podOf("p", { spec: { affinity: { podAffinity: prefer(appTerm("web")) } } }),
      [nodeOf("a", zone("y")), nodeOf("b", zone("z"))],
      [[podOf("q", { ...app("web"), requests: { cpu: "1" } }), "b"]],
      "b",
    ],
    [
      "far from a pod that does not like it",
      podOf("p", app("web")),
      [nodeOf("a", zone("y")), nodeOf("b", zone("z"))],
      [
        [podOf("q", { spec: { affinity: { podAntiAffinity: prefer(appTerm("web")) } } }), "a"],
        [podOf("r", { requests: { cpu: "1" } }), "b"],
      ],
      "b",
    ],
  ];
  for (const [name, pod, nodes, placed, expected] of cases) {
    test(name, () => assert.equal(choose(pod, nodes, placed), expected));
  }
});
