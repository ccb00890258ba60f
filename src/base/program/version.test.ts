import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../../../package.json" with { type: "json" };
import { version } from "./version.ts";

test("the version is that of package.json", () => {
  assert.equal(version, manifest.version);
});
