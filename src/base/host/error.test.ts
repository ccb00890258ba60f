import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFailed } from "./error.ts";

test("the error of a program has what it said, wherever it said it, and nothing where it said nothing", () => {
  const failed = (said: { stdout?: string; stderr?: string }) =>
    commandFailed(["runc", "start"], { exitCode: 1, ...said }).message;
  assert.equal(failed({ stderr: "no\n", stdout: "yes" }), "Cannot run runc start: exit code 1: no");
  assert.equal(failed({ stdout: "yes\n" }), "Cannot run runc start: exit code 1: yes");
  assert.equal(failed({}), "Cannot run runc start: exit code 1");
});
