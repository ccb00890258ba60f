import assert from "node:assert/strict";
import { test } from "node:test";
import type { IngressClass } from "../../../api/types/networking.ts";
import { ingress } from "../testing/ingress.ts";
import { ourIngresses } from "./ours.ts";

const controller = "tandem.internal/ingress";

function ingressClass(
  name: string,
  spec: { controller?: string },
  isDefault = false,
): IngressClass {
  const annotations = { "ingressclass.kubernetes.io/is-default-class": String(isDefault) };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: { name, annotations },
    spec,
  };
}

const all = [
  ingress("of-ours", { ingressClassName: "ours" }),
  ingress("of-second", { ingressClassName: "second" }),
  ingress("of-other", { ingressClassName: "other" }),
  ingress("of-none", {}),
  ingress("by-annotation", {}, { annotations: { "kubernetes.io/ingress.class": "ours" } }),
  ingress("by-bare-name", {}, { annotations: { "kubernetes.io/ingress.class": "bare" } }),
  ingress("going", { ingressClassName: "ours" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
];
const cases: [what: string, isDefault: boolean, className: string | undefined, ours: string[]][] = [
  ["all classes of the controller", false, undefined, ["of-ours", "of-second", "by-annotation"]],
  ["one class", false, "ours", ["of-ours", "by-annotation"]],
  ["the default", true, undefined, ["of-ours", "of-second", "of-none", "by-annotation"]],
  ["a name without a class", false, "bare", ["by-bare-name"]],
  ["the name of another's class", false, "other", []],
];
for (const [what, isDefault, className, expected] of cases) {
  test(`[ING-1] which Ingresses are ours: ${what}`, () => {
    const classes = [
      ingressClass("ours", { controller }, isDefault),
      ingressClass("second", { controller }),
      ingressClass("other", { controller: "example.org/other" }),
    ];
    const found = ourIngresses(all, classes, { controller, className });
    assert.deepEqual(
      found.map(({ metadata }) => metadata.name),
      expected,
    );
  });
}
