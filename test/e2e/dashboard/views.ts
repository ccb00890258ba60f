// Every view of the dashboard: what it shows, in which lights and widths, by mouse and by keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { barriersOf } from "../../fixtures/browser/axe.ts";
import { podOf } from "../dashboard.fixture.ts";
import type { Stage } from "./stage.ts";

/** Every view, and what it must show of the shop. */
export const views: readonly [fragment: string, shown: RegExp][] = [
  ["#/overview", /2 nodes.*IPv4 ● 2 ok IPv6 ● 2 ok/],
  ["#/nodes", /node-1 ● IPv4 ok: [\d.]+.*node-2/],
  [
    "#/services",
    /shop\/web ● IPv4 ok: 2 ready endpoints ● IPv6 ok: 2 ready endpoints LoadBalancer 80\/TCP/,
  ],
  ["#/pods?q=client", /shop\/client ● IPv4 ok: [\d.]+ ● IPv6 ok: [\da-f:]+ Running/],
  ["#/map?service=shop%2Fweb", /IPv4 load balancer \(1\).*ready endpoints \(2\).*IPv6/],
  [
    "#/vips",
    /service shop\/web 192\.168\.111\.2\d\d ● IPv4 ok: on node-\d before [\d:]+ fd00:\S+ ● IPv6 ok: on node-\d before /,
  ],
  ["#/policies?pod=shop%2Fclient", /ingress otherwise ● accept.*shop\/web-only Ingress app=web/],
  ["#/check", /Run now.*It was not run yet/],
  ["#/trace", /from to port/],
  [
    "#/addresses",
    /node node-1.*service kubernetes.*pool lan.*node-1 node 192\.168\.111\.\d+ fd00:/,
  ],
  ["#/object?kind=Pod&namespace=shop&name=client", /Pod shop\/client.*Started/],
];

export function viewTests(stage: Stage): void {
  for (const [fragment, shown] of views) {
    test(`${fragment} shows ${shown.source}, in light and dark without barriers`, async () => {
      const { tab } = stage;
      await tab.view(fragment);
      await tab.shows(shown);
      assert.deepEqual(await barriersOf(tab), []);
      await tab.prefer("dark");
      try {
        assert.deepEqual(await barriersOf(tab, ["color-contrast"]), []);
      } finally {
        await tab.prefer("light");
      }
    });
  }

  test("[DASH-3] fits the width of a phone: no view is wider than the screen", async () => {
    const { tab } = stage;
    await tab.resize({ width: 390, height: 800 });
    try {
      for (const [fragment, shown] of views) {
        await tab.view(fragment);
        await tab.until(`(${widest}) <= 390`);
        if (fragment.startsWith("#/object")) await tab.shows(shown);
      }
    } finally {
      await tab.resize({ width: 1200, height: 800 });
    }
  });

  test("a pod that is added or removed is seen within a second, and nothing was asked for it", async () => {
    const { tab, cluster } = stage;
    await tab.view("#/pods?q=short-lived");
    await tab.shows(/0 of \d+/);
    await tab.evaluate(countRequests);
    await cluster.kubectl.pipe(podOf("short-lived"), "-n", "shop", "apply", "-f", "-");
    const added = await tab.shows(/shop\/short-lived/);
    await tab.shows(/shop\/short-lived ● IPv4 ok: .* Running/);
    await cluster.kubectl.run("-n", "shop", "delete", "pod", "short-lived", "--wait=true");
    const removed = await tab.shows(/0 of \d+/);
    assert.ok(added < 1000 && removed < 1000, `added ${added} ms, removed ${removed} ms`);
    assert.equal(await tab.evaluate<number>("window.requests"), 0, "the page does not poll");
  });

  test("a view is where its address says, after a reload, too", async () => {
    const { tab } = stage;
    await tab.view("#/pods?q=client&family=IPv6");
    await tab.send("Page.reload");
    await tab.shows(/Pods.*1 of \d+.*shop\/client/);
    assert.equal(await tab.evaluate<string>("location.hash"), "#/pods?q=client&family=IPv6");
    const chosen = `document.querySelector("select[aria-label=family]").value`;
    assert.equal(await tab.evaluate<string>(chosen), "IPv6");
  });

  test("[DASH-3] by keys alone a pod is found, opened and left again", async () => {
    const { tab } = stage;
    await tab.view("#/overview");
    await tab.evaluate("document.activeElement?.blur()");
    await tab.tabTo('nav a[href="#/pods"]');
    await tab.press("Enter");
    await tab.shows(/\d+ of \d+/);
    await tab.tabTo('input[type="search"]');
    await tab.type("client");
    await tab.shows(/1 of \d+/);
    await tab.tabTo(".rows a");
    await tab.press("Enter");
    await tab.shows(/Pod shop\/client/, { within: "h1" });
    await tab.tabTo('nav a[href="#/map"]');
    await tab.press("Enter");
    await tab.shows(/Map/, { within: "h1" });
    await tab.tabTo(".picture a");
    await tab.press("Enter");
    await tab.until(`location.hash.startsWith("#/map?service=")`);
  });
}

/** Counts from now on what the page asks for. */
const countRequests = `void ((send) => {
  window.requests = 0;
  window.fetch = (...asked) => {
    window.requests += 1;
    return send(...asked);
  };
})(window.fetch)`;

/** How wide the page is, whatever hides or scrolls within it. */
const widest = "document.documentElement.scrollWidth";
