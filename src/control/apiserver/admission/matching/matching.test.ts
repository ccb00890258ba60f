import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MatchResources } from "../../../../api/types/admissionregistration.ts";
import { builtinResources } from "../../resources/builtin.ts";
import { Catalogue } from "../../resources/catalogue.ts";
import {
  compileMatching,
  compileWebhookMatching,
  isExemptFromPolicies,
  isExemptFromWebhooks,
} from "./matching.ts";
import type { AdmissionRequest } from "./request.ts";

const catalogue = new Catalogue(builtinResources());
const namespaces: Record<string, object> = {
  blue: { metadata: { name: "blue", labels: { colour: "blue" } } },
};
const context = {
  catalogue,
  objects: { get: (_: string, __: string, name: string) => namespaces[name] },
};

interface Asked extends Partial<AdmissionRequest> {
  readonly plural: string;
  readonly group?: string;
  readonly version?: string;
}

function request({ plural, group = "", version = "v1", ...rest }: Asked): AdmissionRequest {
  const resource = catalogue.find(group, version, plural);
  assert.ok(resource);
  return {
    operation: "CREATE",
    resource,
    subresource: undefined,
    kind: { group, version, kind: resource.kind },
    namespace: resource.namespaced ? "blue" : "",
    name: "one",
    user: { name: "jane", groups: [] },
    dryRun: false,
    options: {},
    object: { metadata: { name: "one", labels: { app: "web" } } },
    oldObject: undefined,
    warnings: [],
    annotations: {},
    ...rest,
  };
}

const everything = {
  operations: ["*" as const],
  apiGroups: ["*"],
  apiVersions: ["*"],
  resources: ["*"],
};

describe("[API-8] matching", () => {
  const pods = { ...everything, apiGroups: [""], resources: ["pods"] };
  const cases: [string, MatchResources, Asked, boolean][] = [
    ["no rules match everything", {}, { plural: "pods" }, true],
    ["a rule names resources", { resourceRules: [pods] }, { plural: "services" }, false],
    [
      "a resource without a slash does not match subresources",
      { resourceRules: [pods] },
      { plural: "pods", subresource: "status" },
      false,
    ],
    [
      "a star matches subresources when it is asked for",
      { resourceRules: [{ ...pods, resources: ["pods/*"] }] },
      { plural: "pods", subresource: "status" },
      true,
    ],
    [
      "operations are matched",
      { resourceRules: [{ ...pods, operations: ["DELETE"] }] },
      { plural: "pods" },
      false,
    ],
    [
      "resource names are matched",
      { resourceRules: [{ ...pods, resourceNames: ["other"] }] },
      { plural: "pods" },
      false,
    ],
    [
      "a Namespace is cluster-scoped",
      { resourceRules: [{ ...everything, scope: "Cluster" }] },
      { plural: "namespaces", namespace: "one" },
      true,
    ],
    [
      "a Namespace is not namespaced",
      { resourceRules: [{ ...everything, scope: "Namespaced" }] },
      { plural: "namespaces", namespace: "one" },
      false,
    ],
    [
      "excluding rules win",
      { resourceRules: [everything], excludeResourceRules: [pods] },
      { plural: "pods" },
      false,
    ],
    [
      "the namespace is selected by its labels",
      { namespaceSelector: { matchLabels: { colour: "blue" } } },
      { plural: "pods" },
      true,
    ],
    [
      "other namespaces are not selected",
      { namespaceSelector: { matchLabels: { colour: "red" } } },
      { plural: "pods" },
      false,
    ],
    [
      "cluster-scoped objects are beyond namespace selectors",
      { namespaceSelector: { matchLabels: { colour: "red" } } },
      { plural: "nodes" },
      true,
    ],
    [
      "a written Namespace is selected by its own new labels",
      { namespaceSelector: { matchLabels: { app: "web" } } },
      { plural: "namespaces", namespace: "one" },
      true,
    ],
    [
      "the stored object may be the one selected",
      { objectSelector: { matchLabels: { app: "old" } } },
      { plural: "pods", oldObject: { metadata: { labels: { app: "old" } } } },
      true,
    ],
    [
      "an object that is selected in neither state does not match",
      { objectSelector: { matchLabels: { app: "old" } } },
      { plural: "pods" },
      false,
    ],
  ];
  for (const [name, criteria, asked, expected] of cases) {
    test(name, () => {
      const matched = compileMatching(criteria).match(request(asked), context);
      assert.equal(matched !== undefined, expected);
    });
  }

  test("another version of the same resource matches unless the policy is Exact", () => {
    const rule = { ...everything, apiGroups: ["autoscaling"], apiVersions: ["v1"] };
    const asked = { plural: "horizontalpodautoscalers", group: "autoscaling", version: "v2" };
    const matched = compileMatching({ resourceRules: [rule] }).match(request(asked), context);
    assert.equal(matched?.resource.version, "v1");
    const exact = compileMatching({ resourceRules: [rule], matchPolicy: "Exact" });
    assert.equal(exact.match(request(asked), context), undefined);
  });

  test("a webhook without rules matches nothing", () => {
    const hook = { name: "a.b.c", clientConfig: {}, admissionReviewVersions: [] };
    const matching = compileWebhookMatching({ ...hook, sideEffects: "None" });
    assert.equal(matching.match(request({ plural: "pods" }), context), undefined);
  });

  test("policies do not apply to policies and reviews, but to webhook configurations", () => {
    const group = "admissionregistration.k8s.io";
    const isExempt = (plural: string, of = group) =>
      isExemptFromPolicies(request({ plural, group: of }));
    assert.equal(isExempt("validatingadmissionpolicies"), true);
    assert.equal(isExempt("mutatingadmissionpolicybindings"), true);
    assert.equal(isExempt("validatingwebhookconfigurations"), false);
    const configuration = { plural: "validatingwebhookconfigurations", group };
    assert.equal(isExemptFromWebhooks(request(configuration)), true);
    assert.equal(isExempt("tokenreviews", "authentication.k8s.io"), true);
    assert.equal(isExempt("pods", ""), false);
  });
});
