import assert from "node:assert/strict";
import { test } from "node:test";
import type { FlowSchema, FlowSchemaStatus } from "../../../api/types/flowcontrol.ts";
import { Registry } from "../../../base/program/metrics.ts";
import type { Attributes, User } from "../access.ts";
import type { Cache } from "../cache/cache.ts";
import { startServer } from "../testing/start.ts";
import { defaultFlowObjects } from "./defaults.ts";
import { FlowControl } from "./flow-control.ts";
import { inOrder, matches } from "./match.ts";

const pods: Attributes = {
  verb: "list",
  group: "",
  version: "v1",
  resource: "pods",
  namespace: "default",
  path: "",
};
const renewal: Attributes = {
  ...pods,
  verb: "update",
  group: "coordination.k8s.io",
  resource: "leases",
  namespace: "kube-node-lease",
};
const account: User = {
  name: "system:serviceaccount:default:pod",
  groups: ["system:serviceaccounts", "system:authenticated"],
};
const node: User = { name: "system:node:a", groups: ["system:nodes", "system:authenticated"] };
const admin: User = { name: "admin", groups: ["system:masters", "system:authenticated"] };

/** A cache with the default objects alone. */
function defaults(): Cache {
  const objects = defaultFlowObjects();
  return {
    collection: (id: string) => ({
      version: 1,
      list: () =>
        objects
          .filter(({ plural }) => id.endsWith(`/${plural}`))
          .map(({ object }) => ({ parse: () => object })),
    }),
  } as unknown as Cache;
}

const control = (seats: number, longestWaitMs = 60_000) =>
  new FlowControl({ cache: defaults(), metrics: new Registry(), seats, longestWaitMs });

test("[SEC-4] requests belong to the flow schemas of Kubernetes", () => {
  const schemas = inOrder(
    defaultFlowObjects()
      .filter(({ plural }) => plural === "flowschemas")
      .map(({ object }) => object as FlowSchema),
  );
  const schemaOf = (user: User, attributes: Attributes) =>
    schemas.find((schema) => matches(schema, user, attributes))?.metadata.name;
  assert.equal(schemaOf(admin, pods), "exempt");
  assert.equal(schemaOf(node, renewal), "system-node-high");
  assert.equal(schemaOf(node, pods), "system-nodes");
  assert.equal(schemaOf(account, pods), "service-accounts");
  const system = { ...account, name: "system:serviceaccount:kube-system:dns" };
  assert.equal(schemaOf(system, pods), "kube-system-service-accounts");
  assert.equal(schemaOf(system, renewal), "system-leader-election");
  const person = { name: "jane", groups: ["system:authenticated"] };
  assert.equal(schemaOf(person, pods), "global-default");
  const health = { ...pods, verb: "get", resource: "", path: "/healthz" };
  assert.equal(schemaOf({ name: "x", groups: ["system:unauthenticated"] }, health), "probes");
});

test("[SEC-4] accounts that take all their seats leave nodes and administrators theirs", async () => {
  const flow = control(60, 1000);
  const admitted: unknown[] = [];
  const refused: unknown[] = [];
  for (let n = 0; n < 2000; n++) {
    flow.admit({ user: account, attributes: pods, seats: 1 }).then(
      (one) => admitted.push(one),
      (error: unknown) => refused.push(error),
    );
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(admitted.length >= 20, `${admitted.length} were served at once`);
  assert.ok(admitted.length < 60, `${admitted.length} were served at once`);
  assert.ok(refused.length > 1000, `${refused.length} were refused`);
  const lease = await flow.admit({ user: node, attributes: renewal, seats: 1 });
  assert.equal(lease.level?.metadata.name, "node-high");
  const masters = await flow.admit({ user: admin, attributes: pods, seats: 10 });
  assert.equal(masters.isExempt, true);
});

test("[SEC-4] who waits is served when somebody leaves, or told to come back", async () => {
  const flow = control(8, 100);
  const first = await flow.admit({ user: account, attributes: pods, seats: 10 });
  const second = flow.admit({ user: account, attributes: pods, seats: 10 });
  first.leave();
  const { leave } = await second;
  await assert.rejects(flow.admit({ user: account, attributes: pods, seats: 10 }), {
    reason: "TooManyRequests",
  });
  leave();
});

test("[SEC-4] a schema without its priority level is said to dangle, and limits nobody", async () => {
  await using server = await startServer();
  const path = "/apis/flowcontrol.apiserver.k8s.io/v1";
  const made = await server.send("POST", `${path}/flowschemas`, {
    body: {
      metadata: { name: "loose" },
      spec: { priorityLevelConfiguration: { name: "none" }, matchingPrecedence: 2 },
    },
  });
  assert.equal(made.status, 201, made.text);
  const said = async (status: string) => {
    for (;;) {
      const { json } = await server.send("GET", `${path}/flowschemas/loose`);
      const { conditions = [] } = (json["status"] ?? {}) as FlowSchemaStatus;
      const [condition] = conditions.filter(({ type }) => type === "Dangling");
      if (condition?.status === status) return condition;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const missing = await said("True");
  assert.equal(missing.reason, "NotFound");
  assert.equal(
    missing.message,
    'This FlowSchema references the PriorityLevelConfiguration object named "none" but there is no such object',
  );
  const level = {
    metadata: { name: "none" },
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
  };
  await server.send("POST", `${path}/prioritylevelconfigurations`, { body: level });
  assert.equal((await said("False")).reason, "Found");
});
