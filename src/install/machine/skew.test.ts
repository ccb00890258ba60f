import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesVersion, version } from "../../base/program/version.ts";
import { leftBehind, nodeSkewProblem, parseVersion, upgradeProblem } from "./skew.ts";

test("[INST-3] what a server of this version tells of itself has this version in it", () => {
  assert.deepEqual(parseVersion(kubernetesVersion), parseVersion(version));
});

test("[INST-3] a node may have its servers' minor version or the one before, and is refused beyond", () => {
  const server = "v1.36.0+tandem-1.4.2";
  for (const node of ["1.4.0", "1.4.9", "1.3.0"])
    assert.equal(nodeSkewProblem(server, node), undefined);
  assert.match(nodeSkewProblem(server, "1.5.0") ?? "", /upgrade servers first/);
  assert.match(nodeSkewProblem(server, "1.2.9") ?? "", /at most 1 minor version behind/);
  assert.match(nodeSkewProblem(server, "2.4.0") ?? "", /1\.4\.2/);
  assert.match(nodeSkewProblem("v1.33.1", "1.4.0") ?? "", /./);
});

test("[INST-3] machines go up by one minor version at a time, and never down", () => {
  for (const next of ["1.4.2", "1.4.3", "1.5.0", "1.5.0~rc.1"]) {
    assert.equal(upgradeProblem("1.4.2", next), undefined, next);
  }
  assert.match(upgradeProblem("1.4.2", "1.6.0") ?? "", /one minor version at a time/);
  assert.match(upgradeProblem("1.4.2", "1.4.1") ?? "", /newer/);
  assert.match(upgradeProblem("1.4.2", "2.0.0") ?? "", /one minor version/);
});

test("[INST-3] a server waits for nodes that it would leave too far behind, and not for nodes of others", () => {
  const nodes = (...versions: string[]) =>
    versions.map((text, index) => ({ name: `n${index}`, version: text }));
  assert.equal(leftBehind("0.2.0", nodes("v1.36.0+tandem-0.1.0", "v1.31.2")), undefined);
  assert.match(
    leftBehind("0.3.0", nodes("v1.36.0+tandem-0.2.0", "v1.36.0+tandem-0.1.9")) ?? "",
    /the node n1 has 0\.1\.9, and nodes are at most 1 minor version behind/,
  );
});
