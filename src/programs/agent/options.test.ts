import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLabels } from "./options.ts";

test("[SEC-3] labels that the server would refuse are refused at the start", () => {
  assert.deepEqual(parseLabels(["zone=a", "topology.kubernetes.io/zone=b"]), {
    zone: "a",
    "topology.kubernetes.io/zone": "b",
  });
  for (const key of ["node-role.kubernetes.io/worker", "node-restriction.kubernetes.io/x"]) {
    assert.throws(() => parseLabels([`${key}=`]), /a node may not give itself this label/);
  }
  assert.throws(() => parseLabels(["zone"]), /it is not KEY=VALUE/);
});
