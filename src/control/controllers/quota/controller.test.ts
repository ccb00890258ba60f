import assert from "node:assert/strict";
import { test } from "node:test";
import type { Counted } from "../../../api/kinds/quota.ts";
import type { Pod, ResourceQuota, Service } from "../../../api/types/core.ts";
import { quotaStatus } from "./controller.ts";

const pods: Counted = { group: "", plural: "pods" };
const services: Counted = { group: "", plural: "services" };

function quota(spec: ResourceQuota["spec"]): ResourceQuota {
  const metadata = { name: "q", namespace: "default" };
  return { apiVersion: "v1", kind: "ResourceQuota", metadata, spec };
}

function pod(cpu: string | undefined, more: Partial<Pod["spec"]> = {}, phase?: "Succeeded"): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: {
      containers: [{ name: "a", ...(cpu !== undefined && { resources: { requests: { cpu } } }) }],
      ...more,
    },
    ...(phase !== undefined && { status: { phase } }),
  };
}

test("[API-13] running pods are summed up; those that have ended are only counted", () => {
  const hard = { pods: "10", "requests.cpu": "2", "count/pods": "10" };
  const all = [pod("500m"), pod("1"), pod("1", {}, "Succeeded")];
  const { used } = quotaStatus(quota({ hard }), [[pods, all]]);
  assert.deepEqual(used, { pods: "2", "requests.cpu": "1500m", "count/pods": "3" });
});

test("[API-13] initial containers count as the largest of them, and a pod's own cost comes on top", () => {
  const large = { name: "i", resources: { requests: { cpu: "3" } } };
  const one = pod("1", { initContainers: [large], overhead: { cpu: "100m" } });
  const { used } = quotaStatus(quota({ hard: { cpu: "5" } }), [[pods, [one]]]);
  assert.deepEqual(used, { cpu: "3100m" });
});

const scopes: [name: string, spec: ResourceQuota["spec"], count: string][] = [
  ["BestEffort", { scopes: ["BestEffort"] }, "1"],
  ["NotBestEffort", { scopes: ["NotBestEffort"] }, "2"],
  ["Terminating", { scopes: ["Terminating"] }, "1"],
  ["NotTerminating", { scopes: ["NotTerminating"] }, "2"],
  [
    "PriorityClass",
    {
      scopeSelector: {
        matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }],
      },
    },
    "1",
  ],
];
for (const [name, spec, count] of scopes) {
  test(`[API-13] the scope ${name} narrows a quota to the pods that have it`, () => {
    const all = [
      pod(undefined),
      pod("1", { activeDeadlineSeconds: 5 }),
      pod("1", { priorityClassName: "high" }),
    ];
    const { used } = quotaStatus(quota({ ...spec, hard: { pods: "5" } }), [[pods, all]]);
    assert.deepEqual(used, { pods: count });
  });
}

test("[API-13] node ports and load balancers of services are counted", () => {
  const service = (spec: Service["spec"]): Service => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", namespace: "default" },
    spec,
  });
  const ports = [{ port: 1 }, { port: 2 }];
  const all = [
    service({ type: "NodePort", ports }),
    service({ type: "LoadBalancer", ports, allocateLoadBalancerNodePorts: false }),
    service({ type: "ClusterIP", ports }),
  ];
  const hard = { services: "5", "services.nodeports": "5", "services.loadbalancers": "5" };
  const { used } = quotaStatus(quota({ hard }), [[services, all]]);
  assert.deepEqual(used, {
    services: "3",
    "services.nodeports": "2",
    "services.loadbalancers": "1",
  });
});
