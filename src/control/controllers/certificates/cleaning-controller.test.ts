import assert from "node:assert/strict";
import { test } from "node:test";
import type { CertificateSigningRequest } from "../../../api/types/certificates.ts";
import { defined } from "../../../base/json/defined.ts";
import { endOf } from "./cleaning-controller.ts";

const creationTimestamp = "2026-01-01T00:00:00Z";
const decided = "2026-01-01T10:00:00Z";

function request(type?: string, certificate?: string): CertificateSigningRequest {
  const conditions = type === undefined ? [] : [{ type, status: "True", lastUpdateTime: decided }];
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "a", creationTimestamp },
    spec: { request: "", signerName: "example.test/x" },
    status: { conditions, ...defined({ certificate }) },
  };
}

const cases: [what: string, request: CertificateSigningRequest, end: string][] = [
  ["one that waits: a day", request(), "2026-01-02T00:00:00.000Z"],
  ["one that waits for its signer: a day", request("Approved"), "2026-01-02T00:00:00.000Z"],
  ["one that was signed: an hour more", request("Approved", "x"), "2026-01-01T11:00:00.000Z"],
  ["one that was denied: an hour more", request("Denied"), "2026-01-01T11:00:00.000Z"],
  ["one that failed: an hour more", request("Failed"), "2026-01-01T11:00:00.000Z"],
];
for (const [what, object, end] of cases) {
  test(`[SEC-3] certificate requests are kept for a time: ${what}`, () => {
    assert.equal(new Date(endOf(object)).toISOString(), end);
  });
}
