import assert from "node:assert/strict";
import { test } from "node:test";
import { defined } from "../../../base/json/defined.ts";
import type { Attributes, User } from "../access.ts";
import { roleObjects as roleObjectsOf } from "../bootstrap-role-objects.ts";
import { defaultRoles } from "./default-roles.ts";
import { nodeAuthorizer } from "./node-access.ts";
import { nodeRestriction } from "./node-restriction.ts";
import { rbac } from "./rbac.ts";
import { fixedObjects } from "./testing/fixed-objects.ts";

const roles = roleObjectsOf(defaultRoles);
const user = (name: string, ...groups: string[]): User => ({ name, groups });

/** "verb group/resource[/subresource] [namespace] [name]"; "-" leaves one out. */
function request(text: string): Attributes {
  const [verb = "", what = "", namespace = "-", name = "-"] = text.split(" ");
  if (what.startsWith("/")) return { verb, group: "", version: "", resource: "", path: what };
  const [group = "", resource = "", subresource] = what.split("/");
  return {
    verb,
    group: group === "core" ? "" : group,
    version: "v1",
    resource,
    path: "",
    ...defined({ subresource }),
    ...(namespace === "-" ? {} : { namespace }),
    ...(name === "-" ? {} : { name }),
  };
}

const roleObjects = {
  clusterroles: defaults("clusterroles"),
  clusterrolebindings: defaults("clusterrolebindings"),
  roles: [
    {
      metadata: { name: "reader", namespace: "shop" },
      rules: [
        { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] },
        { apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["get"] },
      ],
    },
  ],
  rolebindings: [
    {
      metadata: { name: "ann", namespace: "shop" },
      roleRef: { kind: "Role", name: "reader" },
      subjects: [
        { kind: "User", name: "ann" },
        { kind: "ServiceAccount", name: "bot" },
      ],
    },
    {
      metadata: { name: "bob", namespace: "shop" },
      roleRef: { kind: "ClusterRole", name: "edit" },
      subjects: [{ kind: "User", name: "bob" }],
    },
  ],
};

function defaults(wanted: string): object[] {
  return roles.flatMap(({ plural, object }) => (plural === wanted ? [object] : []));
}

const rbacCases: [who: User, what: string, allowed: boolean][] = [
  [user("root", "system:masters"), "delete core/nodes - a", true],
  [user("root", "system:masters"), "get /metrics", true],
  [user("ann"), "list core/pods shop", true],
  [user("ann"), "list core/pods other", false],
  [user("ann"), "list core/pods", false],
  [user("ann"), "get core/pods/log shop p", false],
  [user("ann"), "get core/configmaps shop one", true],
  [user("ann"), "get core/configmaps shop two", false],
  [user("ann"), "list core/configmaps shop", false],
  [user("system:serviceaccount:shop:bot"), "get core/pods shop p", true],
  [user("system:serviceaccount:other:bot"), "get core/pods shop p", false],
  [user("bob"), "create apps/deployments shop", true],
  [user("bob"), "patch apps/deployments/scale shop d", true],
  [user("bob"), "create rbac.authorization.k8s.io/roles shop", false],
  [user("bob"), "create apps/deployments default", false],
  [user("eve", "system:authenticated"), "get /apis", true],
  [user("eve", "system:authenticated"), "get /openapi/v2", true],
  [user("eve", "system:authenticated"), "get /metrics", false],
  [
    user("eve", "system:authenticated"),
    "create authorization.k8s.io/selfsubjectaccessreviews",
    true,
  ],
];
for (const [who, what, allowed] of rbacCases) {
  test(`[API-3] RBAC: ${who.name} ${allowed ? "may" : "may not"} ${what}`, () => {
    assert.equal(rbac(fixedObjects(roleObjects)).authorize(who, request(what)).allowed, allowed);
  });
}

test("[API-3] a new binding counts at once", () => {
  const bindings: object[] = [];
  let version = 1;
  const objects = { ...fixedObjects({ ...roleObjects, clusterrolebindings: bindings }) };
  const authorizer = rbac({ ...objects, version: () => version });
  assert.equal(authorizer.authorize(user("zoe"), request("list core/pods")).allowed, false);
  bindings.push({
    roleRef: { kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "User", name: "zoe" }],
  });
  version = 2;
  assert.equal(authorizer.authorize(user("zoe"), request("list core/pods")).allowed, true);
});

const nodeA = user("system:node:a", "system:nodes");
const podOnA = {
  metadata: { name: "p", namespace: "shop" },
  spec: {
    nodeName: "a",
    serviceAccountName: "bot",
    volumes: [{ secret: { secretName: "tls" } }, { configMap: { name: "settings" } }],
    containers: [{ env: [{ valueFrom: { secretKeyRef: { name: "password" } } }] }],
  },
};
const podOnB = { metadata: { name: "q", namespace: "shop" }, spec: { nodeName: "b" } };
const nodeObjects = fixedObjects({ pods: [podOnA, podOnB] });

const nodeCases: [what: string, allowed: boolean][] = [
  ["watch core/pods", true],
  ["watch core/services", true],
  ["patch core/nodes/status - a", true],
  // Which node it is about is for the restriction to say.
  ["patch core/nodes/status - b", true],
  ["delete core/pods/status shop p", false],
  ["get core/secrets shop tls", true],
  ["get core/secrets shop password", true],
  ["get core/secrets shop other", false],
  ["get core/secrets other tls", false],
  ["list core/secrets shop", false],
  ["get core/configmaps shop settings", true],
  ["get core/configmaps shop other", false],
  ["create core/serviceaccounts/token shop bot", true],
  ["create core/serviceaccounts/token shop other", false],
  ["update coordination.k8s.io/leases kube-node-lease a", true],
  ["update coordination.k8s.io/leases kube-node-lease b", false],
  ["update coordination.k8s.io/leases kube-system a", false],
  ["patch coordination.k8s.io/leases kube-node-lease a.announcer.tandem.internal", true],
  ["patch coordination.k8s.io/leases kube-node-lease b.announcer.tandem.internal", false],
  ["watch coordination.k8s.io/leases kube-node-lease", true],
  ["watch coordination.k8s.io/leases kube-system", false],
  ["create rbac.authorization.k8s.io/clusterroles", false],
  ["delete core/nodes - a", false],
];
for (const [what, allowed] of nodeCases) {
  test(`[API-3] node a ${allowed ? "may" : "may not"} ${what}`, async () => {
    const decision = await nodeAuthorizer(nodeObjects).authorize(nodeA, request(what));
    assert.equal(decision.allowed, allowed);
  });
}

test("[API-3] a name without the nodes' group is no node", async () => {
  const impostor = user("system:node:a");
  const decision = await nodeAuthorizer(nodeObjects).authorize(
    impostor,
    request("watch core/pods"),
  );
  assert.equal(decision.allowed, false);
});

test("[API-3] a node writes only about itself and its pods", () => {
  const restriction = nodeRestriction(nodeObjects);
  const admit = (what: string, change: { old?: object; new?: object }): void => {
    restriction.admit(nodeA, request(what), change);
  };
  admit("create core/nodes", { new: { metadata: { name: "a" }, spec: {} } });
  assert.throws(
    () => admit("create core/nodes", { new: { metadata: { name: "b" }, spec: {} } }),
    /node "b"/,
  );
  admit("patch core/pods/status shop p", { old: podOnA, new: podOnA });
  assert.throws(() => admit("patch core/pods/status shop q", { old: podOnB, new: podOnA }));
  admit("delete core/pods shop p", {});
  assert.throws(() => admit("delete core/pods shop q", {}));
  assert.throws(
    () => admit("create core/pods shop", { new: podOnA }),
    /can only create mirror pods/,
  );
  const mirror = {
    metadata: { annotations: { "kubernetes.io/config.mirror": "x" } },
    spec: { nodeName: "a", containers: [] },
  };
  admit("create core/pods shop", { new: mirror });
  const greedy = {
    ...mirror,
    spec: { ...mirror.spec, volumes: [{ secret: { secretName: "s" } }] },
  };
  assert.throws(() => admit("create core/pods shop", { new: greedy }), /reference secrets/);
});
