// What the tests of the dashboard share: one live cluster, one browser, and a tab on it.

import { after, before } from "node:test";
import { type Browser, startBrowser } from "../../fixtures/browser/browser.ts";
import type { Tab } from "../../fixtures/browser/tab.ts";
import { type DisposableCluster, disposableCluster } from "../cluster.fixture.ts";
import { openShop, type RunningDashboard, startDashboard } from "../dashboard.fixture.ts";

/** Its fields are there once tests run. */
export interface Stage {
  readonly cluster: DisposableCluster;
  readonly browser: Browser;
  readonly dashboard: RunningDashboard;
  readonly tab: Tab;
}

/** Sets the stage before the tests of a suite, and takes it down after them. */
export function setStage(): Stage {
  const stage: { -readonly [Part in keyof Stage]?: Stage[Part] } = {};
  before(async () => {
    [stage.cluster, stage.browser] = await Promise.all([
      disposableCluster({ nodes: 2, dashboard: true, allowHostImage: "shop" }),
      startBrowser(),
    ]);
    await stage.cluster.up();
    await openShop(stage.cluster);
    const flags = ["--allow-check", "--allow-trace"];
    stage.dashboard = await startDashboard(stage.cluster.kubeconfig, flags);
    stage.tab = await stage.browser.open(stage.dashboard.link);
    await stage.tab.shows(/● live/);
  });
  after(async () => {
    await stage.dashboard?.[Symbol.asyncDispose]();
    await stage.browser?.[Symbol.asyncDispose]();
    await stage.cluster?.[Symbol.asyncDispose]();
  });
  return stage as Stage;
}
