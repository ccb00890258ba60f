import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attributes, User } from "../access.ts";
import { decide, parsePolicy } from "./policy.ts";

const policyText = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - level: None
    users: [system:kube-proxy]
    verbs: [watch]
    resources: [{ group: "", resources: [endpoints, services] }]
  - level: None
    nonResourceURLs: ["/healthz*", /version]
  - level: Metadata
    resources: [{ group: "", resources: [secrets, pods/log] }]
    omitStages: [ResponseStarted]
  - level: Request
    userGroups: [editors]
    namespaces: [team]
    omitManagedFields: false
  - level: RequestResponse
    resources: [{ group: apps, resources: ["*/scale"] }, { group: "", resources: [pods/*] }]
  - level: Metadata
`;
const policy = parsePolicy(policyText, "policy.yaml");
const pods: Attributes = { verb: "get", group: "", version: "v1", resource: "pods", path: "" };
const anybody: User = { name: "jane", groups: ["editors"] };

test("[SEC-7] the first rule of the policy that matches decides", () => {
  const level = (user: User | undefined, about: Partial<Attributes>) =>
    decide(policy, user, { ...pods, ...about }).level;
  const proxy = { name: "system:kube-proxy", groups: [] };
  assert.equal(level(proxy, { verb: "watch", resource: "services" }), "None");
  assert.equal(level(proxy, { verb: "list", resource: "services" }), "Metadata");
  assert.equal(level(undefined, { resource: "", path: "/healthz/etcd" }), "None");
  assert.equal(level(undefined, { resource: "", path: "/metrics" }), "Metadata");
  assert.equal(level(anybody, { resource: "secrets", namespace: "team" }), "Metadata");
  assert.equal(level(anybody, { namespace: "team" }), "Request");
  assert.equal(level(anybody, { namespace: "other" }), "Metadata");
  assert.equal(level(anybody, { subresource: "exec" }), "RequestResponse");
  const scale = { group: "apps", resource: "deployments", subresource: "scale" };
  assert.equal(level(anybody, scale), "RequestResponse");
});

test("[SEC-7] stages and managed fields are left out where the policy or the rule says so", () => {
  const secret = decide(policy, anybody, { ...pods, resource: "secrets" });
  assert.deepEqual(secret.omitStages, ["RequestReceived", "ResponseStarted"]);
  assert.equal(secret.omitManagedFields, true);
  assert.equal(decide(policy, anybody, { ...pods, namespace: "team" }).omitManagedFields, false);
});

test("[SEC-7] what is no policy is refused by file and field", () => {
  const refuses = (text: string, message: RegExp) =>
    assert.throws(() => parsePolicy(text, "p.yaml"), { message });
  const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";
  refuses("kind: Policy", /^Cannot read the audit policy p.yaml: it is not a Policy/);
  refuses(head, /rules is empty$/);
  refuses(`${head}rules: [{ level: All }]`, /rules\[0\].level: "All" is no level$/);
  refuses(`${head}omitStages: [Late]\nrules: [{ level: None }]`, /omitStages: "Late" is no stage$/);
});
