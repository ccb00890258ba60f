import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ContainerPort, Pod } from "../../../api/types/core.ts";
import { podOf } from "../testing/pod.ts";
import { refusalOf } from "./admit.ts";

const podWith = (port: Partial<ContainerPort>, status: Pod["status"] = {}): Pod =>
  podOf("web", { container: { ports: [{ containerPort: 80, ...port }] }, status });

describe("[API-16] a pod whose host port another pod of the node has", () => {
  const taken = podWith({ hostPort: 8080 });

  test("is rejected as kubelets reject it", () => {
    assert.deepEqual(refusalOf(podWith({ hostPort: 8080 }), {}, [taken]), {
      reason: "NodePorts",
      message:
        "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    });
  });

  const accepted: readonly (readonly [string, Partial<ContainerPort>, Partial<ContainerPort>])[] = [
    ["another port", { hostPort: 8080 }, { hostPort: 8081 }],
    ["another protocol", { hostPort: 8080 }, { hostPort: 8080, protocol: "UDP" }],
    [
      "another address",
      { hostPort: 8080, hostIP: "192.0.2.1" },
      { hostPort: 8080, hostIP: "192.0.2.2" },
    ],
    ["another family", { hostPort: 8080, hostIP: "0.0.0.0" }, { hostPort: 8080, hostIP: "::" }],
    ["no host port", { hostPort: 8080 }, {}],
  ];
  for (const [title, one, other] of accepted) {
    test(`is accepted with ${title}`, () => {
      assert.equal(refusalOf(podWith(other), {}, [podWith(one)]), undefined);
    });
  }

  const rejected: readonly (readonly [string, Partial<ContainerPort>])[] = [
    ["all addresses of the family", { hostPort: 8080, hostIP: "0.0.0.0" }],
    ["the same address in other words", { hostPort: 8080, hostIP: "2001:DB8:0::1" }],
  ];
  for (const [title, one] of rejected) {
    test(`is rejected when it has ${title}`, () => {
      const address = one.hostIP === "0.0.0.0" ? "192.0.2.1" : "2001:db8::1";
      const wanted = podWith({ hostPort: 8080, hostIP: address });
      assert.equal(refusalOf(wanted, {}, [podWith(one)])?.reason, "NodePorts");
    });
  }

  test("is accepted when that pod has ended", () => {
    const ended = podWith({ hostPort: 8080 }, { phase: "Failed" });
    assert.equal(refusalOf(podWith({ hostPort: 8080 }), {}, [ended]), undefined);
  });
});
