import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refusalOf } from "./caller.ts";
import { targetOf } from "./target.ts";

describe("a node's server", () => {
  test("reads the kind, pod, container and query of a request from its path", () => {
    const told = targetOf("/containerLogs/default/web/main?follow=true&tailLines=3");
    assert.equal(told.kind, "containerLogs");
    assert.ok("container" in told);
    assert.deepEqual([told.namespace, told.pod, told.container], ["default", "web", "main"]);
    assert.equal(told.query.get("tailLines"), "3");
    assert.equal(targetOf("/portForward/default/web?ports=80").kind, "portForward");
    assert.deepEqual(targetOf("/pods"), { kind: "other", path: "/pods" });
  });

  test("takes nothing for a target that has too few or too many parts", () => {
    for (const path of ["/exec/a/b", "/exec/a/b/c/d", "/portForward/a/b/c", "/run/a/b/c"]) {
      assert.equal(targetOf(path).kind, "other", path);
    }
  });

  test("[API-6] answers the API server alone, whatever else the root has signed", () => {
    const socket = (authorized: boolean, CN: string | string[]) => ({
      authorized,
      getPeerCertificate: () => ({ subject: { CN } }),
    });
    const statusFor = (authorized: boolean, name: string | string[]) =>
      refusalOf(socket(authorized, name) as Parameters<typeof refusalOf>[0])?.status;
    assert.equal(statusFor(true, "kube-apiserver"), undefined);
    assert.equal(statusFor(false, "kube-apiserver"), 401);
    assert.equal(statusFor(true, "system:node:other"), 403);
    assert.equal(statusFor(true, "kubernetes-admin"), 403);
    assert.equal(statusFor(true, ["system:node:other", "kube-apiserver"]), 403);
  });
});
