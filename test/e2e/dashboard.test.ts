// The dashboard in a real browser, on a live cluster. Its tests share both, and follow each other.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { families } from "../../src/base/net/family.ts";
import type { Top } from "../../src/programs/dashboard/dashboard.ts";
import { accessTests } from "./dashboard/access.ts";
import { actionTests } from "./dashboard/actions.ts";
import { commandTests } from "./dashboard/commands.ts";
import { faultTests } from "./dashboard/faults.ts";
import { setStage } from "./dashboard/stage.ts";
import { viewTests } from "./dashboard/views.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;

describe("[DASH-1] the dashboard in a browser", () => {
  const stage = setStage();
  viewTests(stage);
  actionTests(stage);
  commandTests(stage);
  faultTests(stage);
  accessTests(stage);

  test("tandem top counts the connections of a service in each family", async () => {
    const { cluster } = stage;
    const { kubectl } = cluster;
    const query = "-n shop get service web -o jsonpath={.spec.clusterIPs[*]}";
    const [four = "", six = ""] = (await kubectl.run(...query.split(" "))).split(" ");
    await cluster.tandem(["top", "--count-bytes"]);
    const hosts = { IPv4: four, IPv6: `[${six}]` };
    for (const family of families) {
      // A kernel forgets a connection ten seconds after its end.
      await cluster.until(`a connection of ${family}`, async () => {
        const get = ["tandem-echo", "get", `http://${hosts[family]}/`];
        await kubectl.run("-n", "shop", "exec", "client", "--", ...get);
        const { services } = JSON.parse(await cluster.tandem(["top", "--output=json"])) as Top;
        const row = services.find((each) => each.service === "shop/web" && each.family === family);
        return (row?.connections ?? 0) >= 1 && (row?.bytes ?? 0) > 100 ? true : undefined;
      });
    }
  });

  test("tandem top says how much of each range is used, and who announces which address", async () => {
    const text = await stage.cluster.tandem(["top"]);
    for (const line of [
      /^node node-1 +IPv6 +fd00:\S+\/64 +\d+ +2\^64$/m,
      /^service kubernetes +IPv4 +\S+ +\d+ +\d+$/m,
      /^IPAM guests-node-\d +IPv6 +fd60::\/124 +1 +\d+$/m,
      /^slices guests +IPv4 +10\.60\.0\.0\/24 +1 +16 slices$/m,
      /^service shop\/web +192\.168\.111\.2\d\d +node-\d +-$/m,
    ]) {
      assert.match(text, line);
    }
  });

  test("tandem top is refreshed on a terminal", async () => {
    const { cluster } = stage;
    const shown = Promise.withResolvers<void>();
    let times = 0;
    const command = `${launcher} top --interval=100ms`;
    const running = await systemCommands().start(["script", "-qfc", command, "/dev/null"], {
      environment: { TANDEM_CLUSTER: cluster.name },
      diesWithParent: true,
      onLine: (line) => {
        if (line.includes("RANGE OF") && ++times === 3) shown.resolve();
      },
    });
    void running.exited.then(() => shown.reject(new Error(`it ended after ${times} times`)));
    try {
      await shown.promise;
    } finally {
      await running.stop();
    }
  });

  test("tandem map draws the cluster for browsers and for Graphviz", async () => {
    const draw = (format: string) => stage.cluster.tandem(["map", "-n", "shop", "-o", format]);
    const [svg, dot] = await Promise.all([draw("svg"), draw("dot")]);
    assert.match(svg, /^<svg .*shop\/web.*<\/svg>\s*$/s);
    assert.match(dot, /^digraph cluster \{.*"service shop\/web" -> .*\}\s*$/s);
  });

  test("nothing went wrong in the page: no exception, no broken content security policy", () => {
    assert.deepEqual(stage.tab.errors, []);
  });
});
