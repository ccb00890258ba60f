// A node that was taken over tries every door of the API that leads to others: reading, writing, entering and
// certifying. What nodes need of their own is tried in node-restriction.test.ts.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type GuardedServer, node, startGuarded } from "../fixtures/guarded-server.ts";

const core = "/api/v1";
const inDefault = `${core}/namespaces/default`;
const containers = [{ name: "main", image: "example.test/tool:1" }];
const certificates = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const rbac = "/apis/rbac.authorization.k8s.io/v1";

type Attack = readonly [method: string, path: string, body?: object];

const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more });
const nothing = { metadata: { labels: { taken: "over" } } };

const attacks: Readonly<Record<string, readonly Attack[]>> = {
  "reads what belongs to pods of others": [
    ["GET", `${core}/secrets`],
    ["GET", `${core}/secrets?watch=true&timeoutSeconds=1`],
    ["GET", `${core}/namespaces/kube-system/secrets`],
    ["GET", `${core}/configmaps`],
    ["GET", `${inDefault}/secrets?fieldSelector=metadata.name%3Dtheirs`],
    ["GET", `${inDefault}/secrets/theirs`],
    ["GET", `${inDefault}/configmaps/theirs`],
    ["GET", `${inDefault}/serviceaccounts/theirs`],
    ["GET", `${inDefault}/persistentvolumeclaims/theirs`],
  ],
  "takes tokens of others": [
    ["POST", `${inDefault}/serviceaccounts/theirs/token`, { spec: { audiences: [] } }],
    ["POST", `${core}/namespaces/kube-system/serviceaccounts/default/token`, { spec: {} }],
    ["POST", `${inDefault}/secrets`, named("t", { type: "kubernetes.io/service-account-token" })],
  ],
  "speaks for other nodes": [
    ["PATCH", `${core}/nodes/b/status`, { status: { conditions: [] } }],
    ["PATCH", `${core}/nodes/b`, nothing],
    ["DELETE", `${core}/nodes/b`],
    ["POST", `${core}/nodes`, named("c")],
    ["DELETE", `${core}/nodes`],
    ["PUT", "/apis/storage.k8s.io/v1/csinodes/b", named("b", { spec: { drivers: [] } })],
    ["POST", "/apis/storage.k8s.io/v1/csinodes", named("b", { spec: { drivers: [] } })],
  ],
  "moves, changes or ends pods of others": [
    ["PATCH", `${inDefault}/pods/theirs/status`, { status: { phase: "Failed" } }],
    ["DELETE", `${inDefault}/pods/theirs`],
    ["DELETE", `${inDefault}/pods`],
    ["PATCH", `${inDefault}/pods/theirs/ephemeralcontainers`, {}],
    ["PATCH", `${inDefault}/pods/theirs/resize`, {}],
    ["POST", `${inDefault}/pods`, named("new", { spec: { nodeName: "b", containers } })],
    ["POST", `${inDefault}/pods`, named("new", { spec: { nodeName: "a", containers } })],
    ["POST", `${inDefault}/bindings`, named("theirs", { target: { name: "a" } })],
  ],
  "enters pods and nodes by way of the server": [
    ["POST", `${inDefault}/pods/own/exec?command=id`],
    ["POST", `${inDefault}/pods/theirs/exec?command=id`],
    ["GET", `${inDefault}/pods/theirs/exec?command=id`],
    ["POST", `${inDefault}/pods/theirs/attach`],
    ["POST", `${inDefault}/pods/theirs/portforward?ports=80`],
    ["GET", `${inDefault}/pods/theirs/log`],
    ["GET", `${inDefault}/pods/theirs/proxy/`],
    ["GET", `${inDefault}/services/front/proxy/`],
    ["GET", `${core}/nodes/b/proxy/pods`],
    ["GET", `${core}/nodes/a/proxy/pods`],
  ],
  "draws traffic to itself": [
    ["POST", `${inDefault}/services`, named("mine", { spec: { ports: [{ port: 80 }] } })],
    ["PATCH", `${inDefault}/services/front`, { spec: { externalIPs: ["192.0.2.1"] } }],
    ["PATCH", `${inDefault}/services/front/status`, { status: { loadBalancer: {} } }],
    ["POST", `${inDefault}/endpoints`, named("front", { subsets: [] })],
    ["PATCH", `${inDefault}/endpoints/front`, { subsets: [] }],
    ["POST", slices, named("mine", { addressType: "IPv4", endpoints: [] })],
    ["POST", "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", named("open")],
    ["POST", "/apis/networking.k8s.io/v1/namespaces/default/ingresses", named("mine")],
  ],
  "gives itself rights": [
    ["POST", `${rbac}/clusterroles`, named("all", { rules: [] })],
    [
      "POST",
      `${rbac}/clusterrolebindings`,
      named("me", {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [],
      }),
    ],
    ["PUT", `${certificates}/waiting/approval`, named("waiting")],
    ["PUT", `${certificates}/waiting/status`, named("waiting")],
    ["DELETE", `${certificates}/waiting`],
    ["POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", named("m")],
    ["POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", named("a.b.c")],
    ["POST", `${core}/namespaces`, named("mine")],
    ["POST", `${core}/persistentvolumes`, named("all", { spec: {} })],
  ],
};

describe("[SEC-3] a node that was taken over", () => {
  let guarded: GuardedServer;
  before(async () => {
    guarded = await startGuarded();
    const made: readonly Attack[] = [
      ["POST", `${core}/nodes`, named("a")],
      ["POST", `${core}/nodes`, named("b")],
      ["POST", `${inDefault}/secrets`, named("theirs")],
      ["POST", `${inDefault}/configmaps`, named("theirs")],
      ["POST", `${inDefault}/serviceaccounts`, named("theirs")],
      ["POST", `${inDefault}/services`, named("front", { spec: { ports: [{ port: 80 }] } })],
      ["POST", `${inDefault}/pods`, named("own", { spec: { nodeName: "a", containers } })],
      [
        "POST",
        `${inDefault}/pods`,
        named("theirs", {
          spec: {
            nodeName: "b",
            serviceAccountName: "theirs",
            containers,
            volumes: [{ name: "s", secret: { secretName: "theirs" } }],
          },
        }),
      ],
    ];
    for (const [method, path, body] of made) {
      const answer = await guarded.admin(method, path, body);
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    }
  });
  after(() => guarded[Symbol.asyncDispose]());

  for (const [what, all] of Object.entries(attacks)) {
    test(`[SEC-3] never ${what}`, async () => {
      const itself = guarded.as(node("a"));
      const open: string[] = [];
      for (const [method, path, body] of all) {
        const { status, text } = await itself(method, path, body);
        if (status !== 403) open.push(`${method} ${path}: ${status} ${text.slice(0, 200)}`);
      }
      assert.deepEqual(open, []);
    });
  }

  test("[SEC-3] still sees its own", async () => {
    const itself = guarded.as(node("a"));
    const own = await itself("GET", `${core}/pods?fieldSelector=spec.nodeName%3Da`);
    assert.equal(own.status, 200, own.text);
    assert.equal((await itself("GET", `${inDefault}/pods/own`)).status, 200);
  });
});
