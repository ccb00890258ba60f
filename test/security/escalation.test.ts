// A user with a small right over roles tries to become more than they are.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../fixtures/controllers.ts";
import { type GuardedServer, startGuarded } from "../fixtures/guarded-server.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const group = "rbac.authorization.k8s.io";
const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
const readPods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const mallory = { name: "mallory" };
const subjects = [{ apiGroup: group, kind: "User", name: "mallory" }];

describe("[SEC-2] rights that are given away", () => {
  let guarded: GuardedServer;
  before(async () => {
    guarded = await startGuarded();
    // Everything about roles and bindings, and pods to read: no more.
    const rules = [
      {
        apiGroups: [group],
        resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
        verbs: ["get", "create", "update", "patch", "delete"],
      },
      readPods,
    ];
    await must("POST", `${rbac}/clusterroles`, { metadata: { name: "role-writer" }, rules });
    await must("POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: "role-writer" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "role-writer" },
      subjects,
    });
  });
  after(() => guarded[Symbol.asyncDispose]());

  const must = async (method: string, path: string, body?: object) => {
    const answer = await guarded.admin(method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.json;
  };

  const gains: [what: string, method: string, path: string, body: object][] = [
    [
      "binding themselves to cluster-admin",
      "POST",
      "/clusterrolebindings",
      {
        metadata: { name: "gain" },
        roleRef: { apiGroup: group, kind: "ClusterRole", name: "cluster-admin" },
        subjects,
      },
    ],
    [
      "binding themselves to admin in a namespace",
      "POST",
      "/namespaces/default/rolebindings",
      {
        metadata: { name: "gain" },
        roleRef: { apiGroup: group, kind: "ClusterRole", name: "admin" },
        subjects,
      },
    ],
    [
      "a new role",
      "POST",
      "/namespaces/default/roles",
      { metadata: { name: "gain" }, rules: [all] },
    ],
    ["a new cluster role", "POST", "/clusterroles", { metadata: { name: "gain" }, rules: [all] }],
    ["a patch of their own role", "PATCH", "/clusterroles/role-writer", { rules: [all] }],
    [
      "an update of their own role",
      "PUT",
      "/clusterroles/role-writer",
      { metadata: { name: "role-writer" }, rules: [all] },
    ],
    [
      "an apply of a new role",
      "PATCH",
      "/clusterroles/applied?fieldManager=m",
      {
        apiVersion: `${group}/v1`,
        kind: "ClusterRole",
        metadata: { name: "applied" },
        rules: [all],
      },
    ],
    [
      "a role that gathers rules of others",
      "POST",
      "/clusterroles",
      {
        metadata: { name: "gain" },
        rules: [],
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { any: "thing" } }] },
      },
    ],
    [
      "a new subject for cluster-admin",
      "PATCH",
      "/clusterrolebindings/cluster-admin",
      { subjects },
    ],
  ];
  for (const [what, method, path, body] of gains) {
    test(`[SEC-2] ${what} is refused to a user who only writes roles`, async () => {
      const answer = await guarded.as(mallory)(method, rbac + path, body);
      assert.equal(answer.status, 403, answer.text);
    });
  }

  test("[SEC-2] rules of a thousand million combinations are refused at once", async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    const rules = [{ apiGroups: many, resources: many, verbs: many }];
    const metadata = { name: "huge" };
    const { json } = await guarded.as(mallory)("POST", `${rbac}/clusterroles`, { metadata, rules });
    assert.match(String(json["message"]), /1000000000 combinations/);
  });

  test("[SEC-2] the refusal names what is missing as Kubernetes does", async () => {
    const rules = [
      { apiGroups: ["", "apps"], resources: ["pods"], verbs: ["get", "delete", "patch"] },
      { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    ];
    const metadata = { name: "greedy" };
    const { json } = await guarded.as(mallory)("POST", `${rbac}/clusterroles`, { metadata, rules });
    assert.equal(
      json["message"],
      [
        'clusterroles.rbac.authorization.k8s.io "greedy" is forbidden: user "mallory" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "patch"]}',
        '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "delete" "patch"]}',
        '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      ].join("\n"),
    );
  });

  test("[SEC-2] rights that a user holds may be given, and a role that is not there not bound", async () => {
    const as = guarded.as(mallory);
    const metadata = { name: "pods" };
    const role = await as("POST", `${rbac}/clusterroles`, { metadata, rules: [readPods] });
    assert.equal(role.status, 201, role.text);
    const roleRef = { apiGroup: group, kind: "ClusterRole", name: "pods" };
    const binding = { metadata, roleRef, subjects };
    const bound = await as("POST", `${rbac}/clusterrolebindings`, binding);
    assert.equal(bound.status, 201, bound.text);
    const missing = { ...binding, metadata: { name: "m" }, roleRef: { ...roleRef, name: "no" } };
    const refused = await as("POST", `${rbac}/clusterrolebindings`, missing);
    assert.equal(refused.status, 404, refused.text);
  });

  test("[SEC-2] the verbs escalate and bind allow just what they name", async () => {
    const someone = { name: "delegate" };
    const rules = [
      { apiGroups: [group], resources: ["clusterroles"], verbs: ["create", "update"] },
      { apiGroups: [group], resources: ["clusterrolebindings"], verbs: ["create"] },
      {
        apiGroups: [group],
        resources: ["clusterroles"],
        resourceNames: ["view"],
        verbs: ["bind"],
      },
      {
        apiGroups: [group],
        resources: ["clusterroles"],
        resourceNames: ["theirs"],
        verbs: ["escalate"],
      },
    ];
    await must("POST", `${rbac}/clusterroles`, { metadata: { name: "delegate" }, rules });
    await must("POST", `${rbac}/clusterroles`, { metadata: { name: "theirs" }, rules: [] });
    await must("POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: "delegate" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "delegate" },
      subjects: [{ apiGroup: group, kind: "User", name: "delegate" }],
    });
    const as = guarded.as(someone);
    const bind = (name: string) =>
      as("POST", `${rbac}/clusterrolebindings`, {
        metadata: { name: `delegated-${name}` },
        roleRef: { apiGroup: group, kind: "ClusterRole", name },
        subjects,
      });
    assert.equal((await bind("view")).status, 201);
    assert.equal((await bind("edit")).status, 403);
    const put = (name: string) =>
      as("PUT", `${rbac}/clusterroles/${name}`, { metadata: { name }, rules: [all] });
    assert.equal((await put("theirs")).status, 200);
    assert.equal((await put("view")).status, 403);
  });
});

test("[SEC-2] a role with the label reaches everyone who may view, edit or administer", async () => {
  await using guarded = await startGuarded();
  const rule = { apiGroups: ["example.test"], resources: ["widgets"], verbs: ["get"] };
  const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
  const has = async (name: string) => {
    const { text } = await guarded.admin("GET", `${rbac}/clusterroles/${name}`);
    return text.includes("example.test");
  };
  const everywhere = async (expected: boolean) => {
    for (const name of ["view", "edit", "admin"]) {
      await until(
        () => has(name),
        (found) => found === expected,
      );
    }
  };
  const metadata = { name: "widgets", labels };
  await guarded.admin("POST", `${rbac}/clusterroles`, { metadata, rules: [rule] });
  await everywhere(true);
  await guarded.admin("DELETE", `${rbac}/clusterroles/widgets`);
  await everywhere(false);
});
