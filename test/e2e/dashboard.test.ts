// The dashboard in a real browser, on a live cluster.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { families } from "../../src/base/net/family.ts";
import type { Top } from "../../src/programs/dashboard/dashboard.ts";
import { barriersOf } from "../fixtures/browser/axe.ts";
import { type Browser, startBrowser } from "../fixtures/browser/browser.ts";
import type { Tab } from "../fixtures/browser/tab.ts";
import { cutBetweenNodes, mendBetweenNodes } from "./check.fixture.ts";
import { type DisposableCluster, disposableCluster } from "./cluster.fixture.ts";
import {
  openShop,
  podOf,
  type RunningDashboard,
  reader,
  startDashboard,
} from "./dashboard.fixture.ts";

/** Every view, and what it must show of the shop. */
const views: readonly [fragment: string, shown: RegExp][] = [
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
    /service shop\/web 192\.168\.111\.2\d\d ● IPv4 ok: on node-\d fd00:\S+ ● IPv6 ok: on node-\d/,
  ],
  ["#/policies?pod=shop%2Fclient", /ingress otherwise ● accept.*shop\/web-only Ingress app=web/],
  ["#/check", /Run now.*It was not run yet/],
  ["#/trace", /from to port/],
  ["#/addresses", /node node-1.*service kubernetes.*pool lan/],
  ["#/object?kind=Pod&namespace=shop&name=client", /Pod shop\/client.*Started/],
];

describe("[DASH-1] the dashboard in a browser", () => {
  let cluster: DisposableCluster;
  let browser: Browser;
  let dashboard: RunningDashboard;
  let tab: Tab;

  before(async () => {
    [cluster, browser] = await Promise.all([
      disposableCluster({ nodes: 2, dashboard: true }),
      startBrowser(),
    ]);
    await cluster.up();
    await openShop(cluster);
    dashboard = await startDashboard(cluster.kubeconfig, ["--allow-check", "--allow-trace"]);
    tab = await browser.open(dashboard.link);
    await tab.shows(/● live/);
  });
  after(async () => {
    await dashboard?.[Symbol.asyncDispose]();
    await browser?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  for (const [fragment, shown] of views) {
    test(`${fragment} shows ${shown.source}, in light and dark without barriers`, async () => {
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

  test("fits the width of a phone: no view is wider than the screen", async () => {
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

  test("the code is not in the address of the page any more, and the link works once", async () => {
    assert.doesNotMatch(await tab.evaluate<string>("location.href"), /code/);
    const second = await browser.open(dashboard.link);
    await second.shows(/This tab is not logged in/);
  });

  test("a pod that is added or removed is seen within a second", async () => {
    await tab.view("#/pods?q=short-lived");
    await tab.shows(/0 of \d+/);
    await cluster.kubectl.pipe(podOf("short-lived"), "-n", "shop", "apply", "-f", "-");
    const added = await tab.shows(/shop\/short-lived/);
    await tab.shows(/shop\/short-lived ● IPv4 ok: .* Running/);
    await cluster.kubectl.run("-n", "shop", "delete", "pod", "short-lived", "--wait=true");
    const removed = await tab.shows(/0 of \d+/);
    assert.ok(added < 1000 && removed < 1000, `added ${added} ms, removed ${removed} ms`);
  });

  test("by keys alone a pod is found, opened and left again", async () => {
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

  test("an address is explained, and a table is copied as a command", async () => {
    const ip = await cluster.kubectl.run(
      ..."-n shop get service web -o jsonpath={.spec.clusterIPs[1]}".split(" "),
    );
    await tab.view("#/addresses");
    await tab.click('input[type="search"]');
    await tab.type(ip);
    await tab.shows(/is a cluster IP of service shop\/web/);
    const command = await tab.text(".command code");
    assert.match(command, /^kubectl get nodes/);
  });

  test("a trace by click shows both families' ways, hop by hop, with the rules of each", async () => {
    await tab.view("#/trace");
    await tab.click("input[name=from]");
    await tab.type("pod/shop/client");
    await tab.click("input[name=to]");
    await tab.type("service/shop/web");
    await tab.click("button[type=submit]");
    await tab.shows(/IPv4 ● delivered.*IPv6 ● delivered/, { mostMs: 60_000 });
    const ways = await tab.evaluate<string[]>(
      `[...document.querySelectorAll(".ways article")].map((one) => one.textContent)`,
    );
    assert.equal(ways.length, 2);
    for (const way of ways) {
      assert.match(
        way,
        /pod shop\/client.*node-\d.*tandem-proxy.*destination \S+ becomes .*takes it in/,
      );
    }
    await tab.shows(/tandem trace pod\/shop\/client service\/shop\/web/);
    assert.deepEqual(await barriersOf(tab), []);
  });

  test("[POL-1] a packet that a policy denies is counted on the page as it happens", async () => {
    const query = "-n shop get pods -l app=web -o jsonpath={.items[0].status.podIPs[0].ip}";
    const ip = await cluster.kubectl.run(...query.split(" "));
    await tab.view("#/policies");
    await tab.shows(/Denied packets None/);
    const get = ["tandem-echo", "get", `http://${ip}:9999/`, "--timeout=500ms"];
    await assert.rejects(cluster.kubectl.run("-n", "shop", "exec", "client", "--", ...get));
    await tab.shows(/shop\/web-only ingress, IPv4 \d+ ▲ \d+/);
  });

  test("the log of a pod is shown", async () => {
    const pod = podOf(
      "talker",
      "command: [tandem-echo, get, 'http://127.0.0.1:9/']",
      "restartPolicy: Never",
    );
    await cluster.kubectl.pipe(pod, "-n", "shop", "apply", "-f", "-");
    await tab.view("#/object?kind=Pod&namespace=shop&name=talker");
    await tab.shows(/refused/i, { within: ".log" });
  });

  test("an announcer that hangs loses its address, and the page shows the move", async () => {
    await tab.view("#/vips");
    await tab.shows(/on node-\d.*on node-\d/);
    const text = await tab.text(".rows");
    const [, holder = ""] = /on (node-\d)/.exec(text) ?? [];
    const other = holder === "node-1" ? "node-2" : "node-1";
    const { programs } = await cluster.status();
    const pid = programs.find(({ name }) => name === holder)?.pid ?? assert.fail();
    process.kill(pid, "SIGSTOP");
    try {
      await tab.shows(new RegExp(`ok: on ${other} .*ok: on ${other} Moves`));
      await tab.shows(new RegExp(`192\\S+ ${holder} ${other}`));
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await tab.shows(new RegExp(`ok: on ${holder} .*ok: on ${holder} Moves`));
    assert.deepEqual(await barriersOf(tab), []);
  });

  test("[E2E-1] a check by click is red where IPv6 is cut between nodes, and nowhere else", async () => {
    await cutBetweenNodes(cluster);
    try {
      await tab.view("#/check");
      await tab.click("button", "Run now");
      await tab.shows(/Running:/);
      await tab.shows(/✖ \S+ \S+: \d+ passed, [1-9]\d* failed/, { mostMs: 300_000 });
    } finally {
      await mendBetweenNodes(cluster);
    }
    const red = await tab.evaluate<string[]>(redColumns);
    assert.deepEqual([...new Set(red)], ["IPv6 http", "IPv6 udp"]);
    await tab.shows(/node-1 to pod on node-2, IPv6, http: .*no answer in 2000 ms/);
    assert.deepEqual(await barriersOf(tab), []);
  });

  test("[DASH-2] whoever logs in by a token sees what the token may read, and no more", async () => {
    const { kubectl } = cluster;
    await kubectl.pipe(reader, "-n", "shop", "apply", "-f", "-");
    const token = (await kubectl.run("-n", "shop", "create", "token", "reader")).trim();
    const flags = ["--log-in=token", "--namespace=shop"];
    await using open = await startDashboard(cluster.kubeconfig, flags);
    const visitor = await browser.open(open.link);
    await visitor.shows(/Log in A bearer token of the cluster/);
    assert.deepEqual(await barriersOf(visitor), []);
    await visitor.tabTo("input[name=token]");
    await visitor.type("not-a-token-of-this-cluster");
    await visitor.press("Enter");
    await visitor.shows(/✖ Cannot log in: the API server does not know this token/);
    await visitor.tabTo("input[name=token]");
    await visitor.type(token);
    await visitor.press("Enter");
    await visitor.shows(/You may not read nodes.*You may not read services/);
    await visitor.view("#/pods");
    await visitor.shows(/shop\/client/);
    await visitor.view("#/services");
    await visitor.shows(/0 of 0/);
    await visitor.click("button", "Log out");
    await visitor.shows(/A bearer token of the cluster/);
  });

  test("[DASH-2] in the cluster it has no rights, and acts with the token of whoever logs in", async () => {
    const { kubectl } = cluster;
    const query = "-n kube-system get pods -l app.kubernetes.io/name=tandem-dashboard -o name";
    const pod = (await kubectl.run(...query.split(" "))).trim().replace("pod/", "");
    const inside = cluster.in(`kube-system/${pod}`);
    const curl = async (path: string, ...more: string[]): Promise<string> => {
      const own = ["-H", "x-tandem-dashboard: 1"];
      const url = `http://localhost:8888/api/${path}`;
      return (await inside.run(["curl", "-s", "--max-time", "5", ...own, ...more, url])).stdout;
    };
    const door = await cluster.until("it answers", () => curl("door").catch(() => undefined));
    assert.deepEqual(JSON.parse(door), { logIn: "token" });
    const account = "system:serviceaccount:kube-system:tandem-dashboard";
    const asked = ["auth", "can-i", "list", "pods", "--all-namespaces", `--as=${account}`];
    assert.equal((await kubectl.try(asked)).stdout.trim(), "no");
    const token = (await kubectl.run("-n", "shop", "create", "token", "reader")).trim();
    const session = JSON.parse(await curl("session", "-d", token)) as { token: string };
    const rights = ["-H", `authorization: Bearer ${session.token}`];
    const place = "namespace=shop&name=client";
    assert.match(await curl(`policies?${place}`, ...rights), /forbidden/);
    assert.match(await curl("about", ...rights), /"allows":\[\]/);
  });

  test("tandem top counts the connections of a service in each family", async () => {
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

  test("nothing went wrong in the page: no exception, no broken content security policy", () => {
    assert.deepEqual(tab.errors, []);
  });
});

/** The titles of the columns that have a red cell. */
const redColumns = `[...document.querySelectorAll("td .lamp.bad:first-child")].map(
  (one) => document.querySelectorAll("thead th")[one.parentElement.cellIndex].innerText)`;

/** How wide the page is, whatever hides or scrolls within it. */
const widest = "document.documentElement.scrollWidth";
