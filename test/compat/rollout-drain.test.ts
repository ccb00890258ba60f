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
    await run("rollout", "status", "deployment/served", "--timeout=60s");
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
    await run("drain", "node-0", "--ignore-daemonsets", "--timeout=60s");
    const nodes = await read("pods -l app=served", "{.items[*].spec.nodeName}");
    assert.ok(!nodes.includes("node-0"), nodes);
    await run("rollout", "status", "deployment/served", "--timeout=60s");
    await run("uncordon", "node-0");

    await run("patch", "pdb", "served", "--type=merge", "-p", '{"spec":{"minAvailable":4}}');
    await until(allowed, (count) => count === "0");
    const lines: string[] = [];
    const draining = await given.kubectl.start(["drain", "node-1"], (line) => lines.push(line));
    try {
      await until(
        () => lines.join("\n"),
        (said) => said.includes("violate the pod's disruption budget"),
      );
    } finally {
      await draining.stop();
    }
    assert.doesNotMatch(lines.join("\n"), /pod\/served-\S+ evicted/);
    assert.equal(await read("deployment served", "{.status.availableReplicas}"), "4");
    await run("uncordon", "node-1");
    await run("delete", "deployment,pdb", "served");
    await until(
      () => read("pods -l app=served", "{.items[*].metadata.name}"),
      (names) => names === "",
    );
  });
});
