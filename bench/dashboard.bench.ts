// The dashboard of clusters of 100, 1,000 and 5,000 pods: how long until its first view is useful, what it takes
// of memory in its server and its page, and how many updates a second the page holds without dropping frames.

import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { staticCredentials } from "../src/api/client/access.ts";
import type { Client } from "../src/api/client/client.ts";
import { connect } from "../src/api/client/connect.ts";
import { systemClock } from "../src/base/host/clock.system.ts";
import { systemRandom } from "../src/base/host/random.system.ts";
import { startDashboard } from "../test/e2e/dashboard.fixture.ts";
import { startBrowser } from "../test/fixtures/browser/browser.ts";
import type { Tab } from "../test/fixtures/browser/tab.ts";
import { TestServer } from "../test/fixtures/server.ts";
import { type Benchmark, type Figures, higher, lower } from "./harness.ts";

const sizes: readonly number[] = [100, 1000, 5000];
/** How long updates are sent. */
const updateMs = 5_000;
const writers = 8;

export default {
  title: "the dashboard in a browser",
  groups: () =>
    sizes.map((pods) => ({
      name: `${pods} pods`,
      cases: {
        "tandem dashboard": async (scope: AsyncDisposableStack) => {
          const server = scope.use(await TestServer.start());
          const client = connectTo(server);
          scope.defer(() => client.transport.close());
          await fill(client, pods);
          return () => measure(server, client, pods);
        },
      },
    })),
} satisfies Benchmark;

async function measure(server: TestServer, client: Client, pods: number): Promise<Figures> {
  await using browser = await startBrowser();
  await using dashboard = await startDashboard(server.kubeconfig);
  const started = performance.now();
  const tab = await browser.open(dashboard.link);
  await tab.until(`document.body.innerText.includes("${pods} pods")`, 60_000);
  const first = performance.now() - started;
  await tab.view("#/pods");
  await tab.until(`document.querySelectorAll(".rows .row").length > 10`);
  const { updates, frames, dropped } = await underUpdates(tab, client, pods);
  return {
    "first view": lower(first, "ms"),
    "server memory": lower(await residentBytes(dashboard.pid), "bytes"),
    "page heap": lower(await tab.evaluate<number>("performance.memory.usedJSHeapSize"), "bytes"),
    updates: higher((updates * 1000) / updateMs, "updates/s"),
    frames: higher((frames * 1000) / updateMs, "frames/s"),
    "dropped frames": lower(dropped, "frames"),
  };
}

/** Changes pods as fast as the API server takes it while the page shows them, and counts its frames. */
async function underUpdates(
  tab: Tab,
  client: Client,
  pods: number,
): Promise<{ updates: number; frames: number; dropped: number }> {
  await tab.evaluate(`void (() => {
    const times = (window.frameTimes = []);
    const note = (time) => { times.push(time); requestAnimationFrame(note); };
    requestAnimationFrame(note);
  })()`);
  const end = performance.now() + updateMs;
  let updates = 0;
  const write = async (first: number): Promise<void> => {
    for (let at = first; performance.now() < end; at = (at + writers) % pods) {
      const status = { message: `update ${updates++}` };
      const place = { namespace: "default", name: `pod-${at}` };
      await client.resource("v1", "Pod").patchStatus(place, { merge: { status } });
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, index) => write(index)));
  await sleep(200);
  const gaps = await tab.evaluate<number[]>(
    "window.frameTimes.slice(1).map((time, at) => time - window.frameTimes[at])",
  );
  // A gap of two frames' time and more has dropped at least one.
  const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / frameMs) - 1), 0);
  return { updates, frames: gaps.length, dropped };
}

const frameMs = 1000 / 60;

async function fill(client: Client, pods: number): Promise<void> {
  const nodes = Math.max(3, Math.ceil(pods / 100));
  for (let at = 0; at < nodes; at++) {
    const podCIDRs = [`10.${at}.0.0/16`, `fd00:${at}::/64`];
    await client.resource("v1", "Node").create({
      metadata: { name: `node-${at}` },
      spec: { podCIDR: podCIDRs[0] ?? "", podCIDRs },
    });
  }
  const make = async (first: number): Promise<void> => {
    for (let at = first; at < pods; at += writers) await makePod(client, at, nodes);
  };
  await Promise.all(Array.from({ length: writers }, (_, index) => make(index)));
}

async function makePod(client: Client, at: number, nodes: number): Promise<void> {
  const node = at % nodes;
  const place = { namespace: "default", name: `pod-${at}` };
  const ips = [`10.${node}.${at >> 8}.${at & 255}`, `fd00:${node}::${at.toString(16)}`];
  const resource = client.resource("v1", "Pod");
  await resource.create({
    metadata: place,
    spec: { nodeName: `node-${node}`, containers: [{ name: "main", image: "example" }] },
  });
  const status = {
    phase: "Running" as const,
    podIP: ips[0] ?? "",
    podIPs: ips.map((ip) => ({ ip })),
    conditions: [{ type: "Ready", status: "True" }],
  };
  await resource.patchStatus(place, { merge: { status } });
}

function connectTo({ url, tls }: TestServer): Client {
  const access = {
    server: new URL(url),
    authorities: tls.ca?.toString(),
    credentials: staticCredentials({
      certificate: tls.cert?.toString(),
      key: tls.key?.toString(),
    }),
    namespace: "default",
  };
  return connect(access, { component: "bench", clock: systemClock, random: systemRandom });
}

async function residentBytes(pid: number): Promise<number> {
  const [, kilobytes = "0"] =
    /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
  return 1024 * Number(kilobytes);
}
