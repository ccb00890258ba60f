// Takes the pictures of the dashboard in docs/pictures, in a browser, on a cluster that it brings up for it, or on
// one that has the shop of the tests: tools/pictures.ts [KUBECONFIG]

import { writeFileSync } from "node:fs";
import { withCluster } from "../test/e2e/cluster.fixture.ts";
import { openShop, startDashboard } from "../test/e2e/dashboard.fixture.ts";
import { startBrowser } from "../test/fixtures/browser/browser.ts";
import type { Tab } from "../test/fixtures/browser/tab.ts";

const directory = new URL("../docs/pictures/", import.meta.url).pathname;
/** Pictures are looked at in a repository: each stays small. */
const mostBytes = 150_000;

/** Each view, what it must show before the picture is taken, and what is done before that. */
const views: readonly View[] = [
  { name: "overview", fragment: "#/overview", shows: /\d nodes.*● \d ok/ },
  { name: "map", fragment: "#/map?service=shop%2Fweb", shows: /≠ the families differ from here/ },
  { name: "addresses", fragment: "#/addresses?q=fd00%3A111%3A%3Ab", shows: /address of node/ },
  { name: "vips", fragment: "#/vips", shows: /on node-\d/ },
  { name: "policies", fragment: "#/policies?pod=shop%2Fclient", shows: /ingress otherwise/ },
  { name: "pod", fragment: "#/object?kind=Pod&namespace=shop&name=client", shows: /Started/ },
  {
    name: "trace",
    fragment: "#/trace?from=pod%2Fshop%2Fclient&to=service%2Fshop%2Fweb",
    shows: /from to port/,
    act: async (tab) => {
      await tab.click("button[type=submit]");
      await tab.shows(/IPv4 ●.*IPv6 ✖/, { mostMs: 60_000 });
    },
  },
  {
    name: "check",
    fragment: "#/check",
    shows: /Run now/,
    act: async (tab) => {
      await tab.click("button", "Run now");
      await tab.shows(/Running/);
      await tab.shows(/passed, \d+ failed/, { mostMs: 120_000 });
    },
  },
];

interface View {
  readonly name: string;
  readonly fragment: string;
  readonly shows: RegExp;
  readonly act?: (tab: Tab) => Promise<void>;
}

const [given] = process.argv.slice(2);
if (given !== undefined) await takeAll(given);
else {
  await withCluster({ nodes: 3 }, async (cluster) => {
    await openShop(cluster);
    // The service has endpoints of one family alone, so that there is something to see.
    const patch = '{"spec":{"endpointFamily":"ipv4"}}';
    await cluster.kubectl.run("-n", "shop", "patch", "service", "web", "--type=merge", "-p", patch);
    await takeAll(cluster.kubeconfig);
  });
}

async function takeAll(kubeconfig: string): Promise<void> {
  await using browser = await startBrowser();
  await using dashboard = await startDashboard(kubeconfig, ["--allow-check", "--allow-trace"]);
  const tab = await browser.open(dashboard.link);
  await tab.resize({ width: 1100, height: 700 });
  await tab.shows(/● live/);
  for (const { name, fragment, shows, act } of views) {
    await tab.view(fragment);
    await tab.shows(shows);
    await act?.(tab);
    await tab.evaluate("scrollTo(0, 0)");
    const picture = await tab.picture();
    if (picture.length > mostBytes) throw new Error(`${name}.png has ${picture.length} bytes`);
    writeFileSync(`${directory}dashboard-${name}.png`, picture);
    console.log(`docs/pictures/dashboard-${name}.png, ${picture.length} bytes`);
  }
}
