// Takes the pictures of the dashboard in docs/pictures, in a browser, on a cluster that it brings up for it, or on
// one that has the shop of the tests: tools/pictures.ts [KUBECONFIG]

import { writeFileSync } from "node:fs";
import { cutBetweenNodes, mendBetweenNodes } from "../test/e2e/check.fixture.ts";
import { type TestCluster, withCluster } from "../test/e2e/cluster.fixture.ts";
import { guestNetwork, openShop, startDashboard } from "../test/e2e/dashboard.fixture.ts";
import { startBrowser } from "../test/fixtures/browser/browser.ts";
import type { Tab } from "../test/fixtures/browser/tab.ts";

const directory = new URL("../docs/pictures/", import.meta.url).pathname;
/** Pictures are looked at in a repository: each stays small. */
const mostBytes = 150_000;

/** Each view, what it must show before the picture is taken, and what is done before that. */
const views: readonly View[] = [
  { name: "overview", fragment: "#/overview", shows: /\d nodes.*● \d ok/ },
  {
    name: "map",
    fragment: "#/map?service=shop%2Fweb",
    shows: /≠ the families differ from here/,
    width: 1260,
  },
  { name: "addresses", fragment: "#/addresses?q=fd00%3A111%3A%3Ab", shows: /address of node/ },
  { name: "vips", fragment: "#/vips", shows: /pay .*on node-\d.*on node-\d/ },
  {
    name: "policies",
    fragment: "#/pods?q=shop%2Fweb",
    shows: /shop\/web-/,
    act: async (tab, cluster) => {
      const pod = await tab.text(".rows a");
      await tab.view(`#/policies?pod=${encodeURIComponent(pod)}`);
      await tab.shows(/ingress shop\/web-only .*Denied packets (?!Reading)/);
      if (cluster !== undefined) await tab.shows(/shop\/web-only ingress, IPv4/);
    },
  },
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
    act: async (tab, cluster) => {
      await runCheck(tab);
      if (cluster === undefined) return;
      await cutBetweenNodes(cluster);
      await runCheck(tab);
      await mendBetweenNodes(cluster);
    },
  },
];

/** A second service, which has everything in both families. */
const pay = `
apiVersion: v1
kind: Service
metadata: { name: pay, namespace: shop }
spec:
  type: LoadBalancer
  ipFamilyPolicy: PreferDualStack
  selector: { app: web }
  ports: [{ port: 80, targetPort: 8080 }]
`;

interface View {
  readonly name: string;
  readonly fragment: string;
  readonly shows: RegExp;
  /** Pixels; 1100 if not given. */
  readonly width?: number;
  /** What is done before the picture is taken; faults only in a cluster of our own. */
  readonly act?: (tab: Tab, cluster: TestCluster | undefined) => Promise<void>;
}

const [given] = process.argv.slice(2);
if (given !== undefined) await takeAll(given);
else {
  await withCluster({ nodes: 3 }, async (cluster) => {
    await openShop(cluster);
    await cluster.kubectl.pipe(guestNetwork, "-n", "shop", "apply", "-f", "-");
    const wait = "-n shop wait --for=condition=Ready pod/guest --timeout=60s";
    await cluster.kubectl.run(...wait.split(" "));
    await cluster.kubectl.pipe(pay, "-n", "shop", "apply", "-f", "-");
    await denyOne(cluster);
    const dns = "-n kube-system rollout status deployment/tandem-dns --timeout=60s";
    await cluster.kubectl.run(...dns.split(" "));
    // The service has endpoints of one family alone, so that there is something to see.
    const patch = '{"spec":{"endpointFamily":"ipv4"}}';
    await cluster.kubectl.run("-n", "shop", "patch", "service", "web", "--type=merge", "-p", patch);
    await takeAll(cluster.kubeconfig, cluster);
  });
}

async function takeAll(kubeconfig: string, cluster?: TestCluster): Promise<void> {
  await using browser = await startBrowser();
  await using dashboard = await startDashboard(kubeconfig, ["--allow-check", "--allow-trace"]);
  const tab = await browser.open(dashboard.link);
  await tab.shows(/● live/);
  for (const { name, fragment, shows, act, width = 1100 } of views) {
    await tab.resize({ width, height: 700 });
    await tab.view(fragment);
    await tab.shows(shows);
    await act?.(tab, cluster);
    await tab.evaluate("scrollTo(0, 0)");
    const picture = await tab.picture();
    if (picture.length > mostBytes) throw new Error(`${name}.png has ${picture.length} bytes`);
    writeFileSync(`${directory}dashboard-${name}.png`, picture);
    console.log(`docs/pictures/dashboard-${name}.png, ${picture.length} bytes`);
  }
}

async function runCheck(tab: Tab): Promise<void> {
  await tab.click("button", "Run now");
  await tab.shows(/Running/);
  await tab.shows(/passed, \d+ failed/, { mostMs: 300_000 });
}

/** Lets a policy deny a packet. */
async function denyOne({ kubectl }: TestCluster): Promise<void> {
  const query = "-n shop get pods -l app=web -o jsonpath={.items[0].status.podIPs[0].ip}";
  const address = await kubectl.run(...query.split(" "));
  const get = ["tandem-echo", "get", `http://${address}:9999/`, "--timeout=500ms"];
  const { code } = await kubectl.try(["-n", "shop", "exec", "client", "--", ...get]);
  if (code === 0) throw new Error("Cannot show a denial: the packet was let through");
}
