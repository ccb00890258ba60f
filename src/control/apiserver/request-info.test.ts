import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { anyText } from "../../../test/fixtures/any-text.ts";
import { StatusError } from "./errors.ts";
import { type ResourceRequest, requestInfo } from "./request-info.ts";

const none = {
  group: "",
  version: "v1",
  namespace: undefined,
  name: undefined,
  subresource: undefined,
  rest: undefined,
};

const cases: [method: string, url: string, expected: ResourceRequest][] = [
  ["GET", "/api/v1/pods", { ...none, verb: "list", resource: "pods" }],
  ["GET", "/api/v1/pods?watch=true", { ...none, verb: "watch", resource: "pods" }],
  ["GET", "/api/v1/pods?watch=1&limit=5", { ...none, verb: "watch", resource: "pods" }],
  ["GET", "/api/v1/pods?watch=false", { ...none, verb: "list", resource: "pods" }],
  ["POST", "/api/v1/namespaces", { ...none, verb: "create", resource: "namespaces" }],
  [
    "GET",
    "/api/v1/namespaces/a",
    { ...none, verb: "get", resource: "namespaces", namespace: "a", name: "a" },
  ],
  [
    "PUT",
    "/api/v1/namespaces/a/finalize",
    {
      ...none,
      verb: "update",
      resource: "namespaces",
      namespace: "a",
      name: "a",
      subresource: "finalize",
    },
  ],
  [
    "DELETE",
    "/api/v1/namespaces/a/configmaps",
    { ...none, verb: "deletecollection", resource: "configmaps", namespace: "a" },
  ],
  [
    "GET",
    "/api/v1/namespaces/a/pods/p/log?follow=true",
    { ...none, verb: "get", resource: "pods", namespace: "a", name: "p", subresource: "log" },
  ],
  [
    "POST",
    "/api/v1/namespaces/a/services/s/proxy/x/%2Fy/",
    {
      ...none,
      verb: "create",
      resource: "services",
      namespace: "a",
      name: "s",
      subresource: "proxy",
      rest: "/x/%2Fy/",
    },
  ],
  [
    "GET",
    "/apis/apps/v1/namespaces/a/deployments/d/scale",
    {
      ...none,
      verb: "get",
      group: "apps",
      resource: "deployments",
      namespace: "a",
      name: "d",
      subresource: "scale",
    },
  ],
  [
    "PATCH",
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode",
    {
      ...none,
      verb: "patch",
      group: "rbac.authorization.k8s.io",
      resource: "clusterroles",
      name: "system:node",
    },
  ],
];
for (const [method, url, expected] of cases) {
  test(`${method} ${url} is understood`, () => {
    assert.deepEqual(requestInfo(method, url).resource, expected);
  });
}

for (const path of [
  "/",
  "/api",
  "/api/",
  "/api/v1",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/version",
]) {
  test(`${path} is not about a resource`, () => {
    assert.equal(requestInfo("GET", path).resource, undefined);
  });
}

test("OPTIONS is for the server behind a proxy to answer, and for nobody else", () => {
  const pod = "/api/v1/namespaces/default/pods/a";
  assert.equal(requestInfo("OPTIONS", `${pod}/proxy/x`).resource?.verb, "get");
  assert.throws(() => requestInfo("OPTIONS", pod), { reason: "MethodNotAllowed" });
});

test("[API-4] any path is understood or refused with a Status", () => {
  fc.assert(
    fc.property(fc.constantFrom("GET", "POST", "TRACE"), anyText(), (method, path) => {
      for (const url of [path, `/api/${path}`, `/apis/${path}`, `/api/v1/namespaces/${path}`]) {
        try {
          requestInfo(method, url);
        } catch (error) {
          assert.ok(error instanceof StatusError);
          assert.ok(error.code < 500);
        }
      }
    }),
  );
});
