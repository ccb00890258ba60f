// The dashboard of clusters of 100, 1,000 and 5,000 pods: how long until its first view is useful, what it takes
// of memory in its server and its page, and how many updates a second the page shows without dropping frames.

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
/** The updates a second that are tried one after the other, until frames are dropped. */
const rates: readonly number[] = [25, 50, 100, 200, 400, 800];
/** How long each of them is tried. */
const updateMs = 3_000;
const writers = 16;
/** The share of frames that may be missing: something else on the machine takes one now and then. */
const mostDropped = 0.01;

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
          const flipping = new Flipping(client, pods);
          return () => measure(server, flipping);
        },
      },
    })),
} satisfies Benchmark;

async function measure(server: TestServer, flipping: Flipping): Promise<Figures> {
  const { pods } = flipping;
  await using browser = await startBrowser();
  await using dashboard = await startDashboard(server.kubeconfig);
  const started = performance.now();
  const tab = await browser.open(dashboard.link);
  await tab.shows(new RegExp(` ${pods} pods `), { mostMs: 60_000 });
  const first = performance.now() - started;
  await tab.view("#/pods");
  await tab.until(`document.querySelectorAll(".rows .row").length > 10`);
  const { rate, lag } = await heldUpdates(tab, flipping);
  return {
    "first view": lower(first, "ms"),
    "server memory": lower(await residentBytes(dashboard.pid), "bytes"),
    "page heap": lower(await tab.evaluate<number>("performance.memory.usedJSHeapSize"), "bytes"),
    "updates without dropped frames": higher(rate, "updates/s"),
    "update to sight": lower(lag, "ms"),
  };
}

interface Held {
  /** Updates a second. */
  readonly rate: number;
  /** From the end of the last update until the page shows it, at that rate. */
  readonly lag: number;
}

/** Updates pods faster and faster while the page shows them; returns the last rate at which it was fluid. */
async function heldUpdates(tab: Tab, flipping: Flipping): Promise<Held> {
  // The page compiles what draws changes when it draws the first, which counts for nothing but the time to see it.
  const { lag: first } = await underUpdates(tab, flipping, rates[0] ?? 1);
  let held: Held = { rate: 0, lag: first };
  for (const wanted of rates) {
    const updated = await fluidly(tab, flipping, wanted);
    if (updated === undefined) break;
    const { rate, lag } = updated;
    held = { rate, lag };
    // Nothing is learnt from trying more than the API server takes.
    if (rate < 0.9 * wanted) break;
  }
  return held;
}

/** Tries a rate, and once more if frames were dropped; undefined if they were both times. */
async function fluidly(tab: Tab, flipping: Flipping, wanted: number): Promise<Held | undefined> {
  for (let tries = 0; tries < 2; tries++) {
    const updated = await underUpdates(tab, flipping, wanted);
    const { dropped, frames } = updated;
    if (dropped <= mostDropped * (frames + dropped)) return updated;
  }
  return undefined;
}

interface Updated extends Held {
  readonly frames: number;
  readonly dropped: number;
}

async function underUpdates(tab: Tab, flipping: Flipping, wanted: number): Promise<Updated> {
  await tab.evaluate(`void (() => {
    const times = (window.frameTimes = []);
    const note = (time) => {
      if (window.frameTimes !== times) return;
      times.push(time);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  })()`);
  const started = performance.now();
  let updates = 0;
  const write = async (): Promise<void> => {
    for (;;) {
      const at = updates++;
      const due = started + (at * 1000) / wanted;
      if (due >= started + updateMs) return;
      await sleep(Math.max(0, due - performance.now()));
      await flipping.flip(at % flipping.pods);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const elapsed = performance.now() - started;
  const gaps = await tab.evaluate<number[]>(
    "window.frameTimes.slice(1).map((time, at) => time - window.frameTimes[at])",
  );
  // A gap of two frames' time and more has dropped at least one.
  const dropped = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / frameMs) - 1), 0);
  const rate = ((updates - writers) * 1000) / elapsed;
  return { rate, lag: await lagOf(tab, flipping), frames: gaps.length, dropped };
}

/** Changes the first pod of the list; returns how long it took until that was seen. */
async function lagOf(tab: Tab, flipping: Flipping): Promise<number> {
  const isShown = (isReady: boolean): string =>
    `document.querySelector(".rows .row")?.innerText.includes("not ready") === ${!isReady}`;
  await tab.until(isShown(flipping.isReady(0)), 60_000);
  await flipping.flip(0);
  return await tab.until(isShown(flipping.isReady(0)), 60_000);
}

/** Makes pods ready and not ready in turn, so that every update is one that is seen. */
class Flipping {
  readonly pods: number;
  readonly #client: Client;
  readonly #unready = new Set<number>();

  constructor(client: Client, pods: number) {
    this.#client = client;
    this.pods = pods;
  }

  isReady(at: number): boolean {
    return !this.#unready.has(at);
  }

  async flip(at: number): Promise<void> {
    if (!this.#unready.delete(at)) this.#unready.add(at);
    const conditions = [{ type: "Ready", status: this.isReady(at) ? "True" : "False" }];
    const place = { namespace: "default", name: `pod-${at}` };
    const status = { conditions };
    await this.#client.resource("v1", "Pod").patchStatus(place, { merge: { status } });
  }
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
