// Faults: what breaks in the cluster has a red lamp, at the node and in the family that is hit, until it is mended.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunningCommand } from "../../../src/base/host/command.ts";
import { barriersOf } from "../../fixtures/browser/axe.ts";
import { cutBetweenNodes, mendBetweenNodes } from "../check.fixture.ts";
import type { Stage } from "./stage.ts";

export function faultTests(stage: Stage): void {
  test("[DASH-4] a proxy that is kept from its rules in one family has a red lamp there, until it can write them", async () => {
    const { tab, cluster } = stage;
    await tab.view("#/nodes");
    await tab.shows(/node-2 ● IPv4 ok: \S+ \S+ ● IPv6 ok/);
    const holder = await holdTable(stage);
    try {
      await tab.shows(/node-1 ● IPv4 ok.* ● IPv6 ok.*node-2 ● IPv4 ok: .*✖ IPv6 bad: services are/);
      await tab.view("#/overview");
      await tab.shows(
        /IPv4 ● 2 ok IPv6 ● 1 ok ✖ 1 bad.*node node-2 IPv4 ● .*IPv6 ✖ .*services are not served: Cannot/,
      );
      const query =
        "jsonpath={.status.conditions[?(@.type=='tandem.internal/ServicesIPv6Ready')].reason}";
      const reason = await cluster.kubectl.run("get", "node", "node-2", "-o", query);
      assert.equal(reason, "RulesNotWritten");
    } finally {
      await holder.stop();
    }
    await tab.shows(/IPv4 ● 2 ok IPv6 ● 2 ok/);
  });

  test("[DASH-4] an announcer that hangs loses its address, and the page shows who is silent and the move", async () => {
    const { tab, cluster } = stage;
    await tab.view("#/vips");
    await tab.shows(/on node-\d.*on node-\d/);
    const text = await tab.text(".rows");
    const [, holder = ""] = /on (node-\d)/.exec(text) ?? [];
    const other = holder === "node-1" ? "node-2" : "node-1";
    const { programs } = await cluster.status();
    const pid = programs.find(({ name }) => name === holder)?.pid ?? assert.fail();
    process.kill(pid, "SIGSTOP");
    try {
      await tab.shows(new RegExp(`ok: on ${other} .*ok: on ${other} .*Moves`));
      await tab.shows(new RegExp(`192\\S+, service shop/web: ${holder} → ${other}`));
      await tab.view("#/nodes");
      const silent = "bad: its announcer is silent";
      await tab.shows(new RegExp(`${holder} ✖ IPv4 ${silent} ✖ IPv6 ${silent}`));
      await tab.shows(new RegExp(`${other} ● IPv4 ok: .* ● IPv6 ok: `));
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await tab.shows(new RegExp(`${holder} ● IPv4 ok: .* ● IPv6 ok: `));
    await tab.view("#/vips");
    await tab.shows(new RegExp(`ok: on ${holder} .*ok: on ${holder} .*Moves`));
    assert.deepEqual(await barriersOf(tab), []);
  });

  test("[E2E-1] [DASH-4] checks, by click and every so often, are red where IPv6 is cut between nodes; cells remember", async () => {
    const { tab, cluster } = stage;
    // All lines are drawn in a window that is high enough.
    await tab.resize({ width: 1200, height: 6000 });
    await tab.view("#/check");
    await tab.click("button", "Run now");
    await tab.shows(/Running:/);
    await tab.shows(/● \S+ \S+: \d+ passed, 0 failed/, { mostMs: 300_000 });
    const offered = await tab.evaluate<string[]>(
      `[...document.querySelectorAll("select[aria-label='how often'] option")].map((one) => one.value)`,
    );
    assert.deepEqual(offered, ["", "1", "5", "15", "60"]);
    await cutBetweenNodes(cluster);
    try {
      // A minute of the page is a second from here on.
      await tab.evaluate(`void ((wait) => {
        window.setInterval = (work, ms) => wait(work, ms / 60);
      })(window.setInterval)`);
      await tab.choose("select[aria-label='how often']", "1");
      await tab.shows(/Running:/);
      assert.match(await tab.evaluate<string>("location.hash"), /every=1/);
      await tab.choose("select[aria-label='how often']", "");
      await tab.shows(/✖ \S+ \S+: \d+ passed, [1-9]\d* failed/, { mostMs: 300_000 });
    } finally {
      await mendBetweenNodes(cluster);
    }
    const red = await tab.evaluate<string[]>(redColumns);
    assert.deepEqual([...new Set(red)], ["IPv6 http", "IPv6 udp"]);
    await tab.shows(/node-1 to pod on node-2, IPv6, http: .*no answer in 2000 ms/);
    const passed = "● ok before: ok ●";
    const failed = "✖ failed before: ok ●";
    await tab.shows(
      new RegExp(`pod on node-1 pod on node-2 ${passed} ${passed} ${failed} ${failed}`),
    );
    await tab.shows(new RegExp(`pod on node-1 pod on node-1 ${passed} ${passed} ${passed}`));
    assert.deepEqual(await barriersOf(tab), []);
    await tab.resize({ width: 1200, height: 800 });
  });
}

/** Takes the proxy's table of IPv6 away from it on node-2: who owns a table keeps all others from writing it. */
async function holdTable({ cluster }: Stage): Promise<RunningCommand> {
  const words = [
    "delete table ip6 tandem-proxy",
    "add table ip6 tandem-proxy { flags owner; }",
  ].map((line) => `echo '${line}'`);
  const script = `{ ${words.join("; ")}; exec sleep 600; } | nft --interactive`;
  return await cluster.in("node-2").start(["sh", "-c", script], { diesWithParent: true });
}

/** The titles of the columns that have a red cell. */
const redColumns = `[...document.querySelectorAll("[role=cell] > .lamp.bad:first-child")].map((one) => {
  const at = [...one.closest(".row").children].indexOf(one.parentElement);
  return document.querySelectorAll("[role=columnheader]")[at].innerText;
})`;
