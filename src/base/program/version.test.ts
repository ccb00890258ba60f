import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../../../package.json" with { type: "json" };
import { kubernetesVersion, version } from "./version.ts";

test("the version is that of package.json", () => {
  assert.equal(version, manifest.version);
});

test("[INST-1] the version that nodes and the API server report is a semantic one of Kubernetes, with ours behind it", () => {
  assert.match(kubernetesVersion, /^v1\.\d+\.\d+\+[0-9A-Za-z.-]+$/);
  assert.ok(kubernetesVersion.endsWith(version));
});
