import assert from "node:assert/strict";
import { test } from "node:test";
import { refused } from "../../../../api/client/errors.ts";
import { IpamError } from "../../errors.ts";
import { toIpamError } from "./api.ts";

for (const [code, reason] of [
  [401, "tryAgainLater"],
  [403, "notPermitted"],
  [422, "inputOutput"],
  [429, "tryAgainLater"],
  [500, "tryAgainLater"],
] as const) {
  test(`[IPAM-6] an answer of ${code} is told as ${reason}`, () => {
    const error = toIpamError(refused("get pools", { code, body: "" }));
    assert.ok(error instanceof IpamError);
    assert.equal(error.reason, reason);
  });
}
