// Nodes drained by genuine kubectl, as far as disruption budgets allow.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../fixtures/controllers.ts";
import { forEveryKubectlWithNodes, images } from "./rollout.fixture.ts";

forEveryKubectlWithNodes("[API-1] draining", (given) => {
  const run = (...words: string[]) => given.kubectl.run(...words);
  const read = (what: string, path: string) =>
    run("get", ...what.split(" "), "-o", `jsonpath=${path}`);

  test("drain moves pods, and waits where it may not", async () => {
    await run("create", "deployment", "served", `--image=${images.good}`, "--replicas=4");
    await run("rollout", "status", "deployment/served", "--timeout=20s");
    // Not by a generator: that of 1.20 knows budgets only as they were in a version before.
    await given.kubectl.pipe(
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "served" },
        spec: { selector: { matchLabels: { app: "served" } }, minAvailable: 2 },
      },
      "create",
      "-f",
      "-",
    );
    const allowed = () => read("pdb served", "{.status.disruptionsAllowed}");
    await until(allowed, (count) => count === "2");
    assert.match(await run("get", "pdb", "served"), /served +2 +N\/A +2 /);
    await run("drain", "node-0", "--ignore-daemonsets", "--timeout=25s");
    const nodes = await read("pods -l app=served", "{.items[*].spec.nodeName}");
    assert.ok(!nodes.includes("node-0"), nodes);
    await run("rollout", "status", "deployment/served", "--timeout=20s");
    await run("uncordon", "node-0");

    await run("patch", "pdb", "served", "--type=merge", "-p", '{"spec":{"minAvailable":4}}');
    await until(allowed, (count) => count === "0");
    const refused = await given.kubectl.try(["drain", "node-1", "--timeout=1s"]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /violate the pod's disruption budget/);
    assert.equal(await read("deployment served", "{.status.availableReplicas}"), "4");
    await run("uncordon", "node-1");
    await run("delete", "deployment,pdb", "served");
    await until(
      () => read("pods -l app=served", "{.items[*].metadata.name}"),
      (names) => names === "",
    );
  });
});
