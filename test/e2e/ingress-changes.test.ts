// Requests while what is behind them changes, and while the programs that serve them come and go.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  type BackendName,
  backendAddresses,
  type IngressLab,
  nodeAddresses,
  openIngressLab,
  subsetsOf,
} from "./ingress.fixture.ts";

const changes = 50;
const requests = 10_000;
const host = "web.example";
const names = Object.keys(backendAddresses) as BackendName[];
const urls = [`http://${nodeAddresses.IPv4}/`, `http://[${nodeAddresses.IPv6}]/`];

describe("ingress under change", () => {
  let lab: IngressLab;
  before(async () => {
    lab = await openIngressLab(["--ingress-class=tandem"]);
    await lab.serve("web", ["both", "twin"]);
    const classed = ["--class=tandem", `--rule=${host}/*=web:80`];
    await lab.kubectl(["apply", "-f", "-"], {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: { name: "tandem" },
      spec: { controller: "tandem.internal/ingress" },
    });
    await lab.kubectl(["create", "ingress", "web", ...classed]);
    for (const url of urls) await isServed(url);
  });
  after(async () => lab[Symbol.asyncDispose]());

  const isServed = (url: string) =>
    lab.askUntil(url, ({ status }) => status === 200, ["-H", `Host: ${host}`]);
  const reloads = async () => {
    const metrics = "http://127.0.0.1:10264/metrics";
    const { stdout } = await lab.node.commands.run(["curl", "-sS", metrics]);
    return Number(/^tandem_ingress_reloads_total (\d+)/m.exec(stdout)?.[1]);
  };

  const isConfigured = async (chosen: readonly BackendName[]) => {
    const text = await readFile(join(lab.directory, "nginx.conf"), "utf8");
    const isThere = (name: BackendName) => backendAddresses[name].some((one) => text.includes(one));
    return names.every((name) => isThere(name) === chosen.includes(name));
  };

  for (const keepsConnections of [false, true]) {
    const how = keepsConnections ? "connections that are kept" : "a connection each";
    test(`[ING-1] none of ${requests} requests with ${how} fails during ${changes} changes`, async (t) => {
      const reloadsBefore = await reloads();
      const load = lab.load({
        urls,
        host,
        requests,
        concurrency: 16,
        perSecond: 1_000,
        keepsConnections,
      });
      for (let n = 0; n < changes; n++) {
        // Two of four stay for the next time, so that some connection is always to one that goes.
        const chosen = [names[(n + 1) % 4], names[(n + 2) % 4]].filter(
          (name) => name !== undefined,
        );
        const patch = JSON.stringify({ subsets: subsetsOf(chosen) });
        await lab.kubectl(["patch", "endpoints", "web", "--type=merge", `-p=${patch}`]);
        // Changes that come one upon the other share a reload; every other one gets its own. The number of
        // reloads does not tell which change they were for, and after four changes all is as it was: so the
        // backends in the configuration are waited for.
        if (n % 2 === 1) continue;
        await lab.until(() => isConfigured(chosen), `nginx is not told of ${chosen.join(" and ")}`);
      }
      const summary = await load;
      assert.deepEqual(summary.failures, {});
      assert.equal(summary.answered, requests);
      assert.deepEqual(Object.keys(summary.byBackend).toSorted(), names.toSorted());
      const count = (await reloads()) - reloadsBefore;
      assert.ok(count >= 20, `only ${count} reloads`);
      t.diagnostic(`${count} reloads, ${summary.sentAgain} requests sent again`);
    });
  }

  test("workers of before do not stay for ever", async () => {
    const slow = lab.ask(`${urls[0]}?delay=2000`, ["-H", `Host: ${host}`]);
    await lab.serve("web", ["both", "six"]);
    const { heard } = await slow;
    assert.ok(heard.backend !== "", "a request that was under way was not answered");
    const workers = async () => {
      const pid = (await readFile(join(lab.directory, "nginx.pid"), "utf8")).trim();
      const { stdout } = await lab.node.commands.run(["ps", "--ppid", pid, "-o", "args"]);
      return stdout.split("\n").filter((line) => line.includes("worker process is shutting down"));
    };
    await lab.until(async () => (await workers()).length === 0, "old workers are still there");
  });

  test("nginx is started again when it is killed", async () => {
    const pid = async () => (await readFile(join(lab.directory, "nginx.pid"), "utf8")).trim();
    const killed = await pid();
    await lab.node.commands.run(["kill", "-KILL", killed]);
    const isBack = async () => {
      const { status } = await lab.ask(urls[0] ?? "", ["-H", `Host: ${host}`]);
      return status === 200 && (await pid()) !== killed;
    };
    await lab.until(isBack, "nginx does not come back");
  });

  test("[ING-1] killed and started again, it serves as before and goes on from there", async () => {
    await lab.restartIngress("KILL");
    for (const url of urls) await isServed(url);
    await lab.serve("web", ["four"]);
    const isFour = async () => (await isServed(urls[0] ?? "")).heard.backend === "four";
    await lab.until(isFour, "changes are not followed any more");
    await lab.restartIngress("TERM");
    assert.equal((await isServed(urls[1] ?? "")).heard.backend, "four");
  });
});
