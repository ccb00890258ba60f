// Who gets in, and with which rights.

import assert from "node:assert/strict";
import { test } from "node:test";
import { barriersOf } from "../../fixtures/browser/axe.ts";
import { reader, startDashboard } from "../dashboard.fixture.ts";
import type { Stage } from "./stage.ts";

export function accessTests(stage: Stage): void {
  test("the code is not in the address of the page any more, and the link works once", async () => {
    const { tab, browser, dashboard } = stage;
    assert.doesNotMatch(await tab.evaluate<string>("location.href"), /code/);
    const second = await browser.open(dashboard.link);
    await second.shows(/This tab is not logged in/);
  });

  test("[DASH-2] whoever logs in by a token sees what the token may read, and no more", async () => {
    const { cluster, browser } = stage;
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
    await visitor.view("#/check");
    await visitor.shows(/Start the dashboard with --allow-check/);
    await visitor.view("#/trace");
    await visitor.shows(/Start the dashboard with --allow-trace/);
    await visitor.click("button", "Log out");
    await visitor.shows(/A bearer token of the cluster/);
  });

  test("[DASH-2] in the cluster it gets ready, has no rights, and acts with the token of whoever logs in", async () => {
    const { cluster } = stage;
    const { kubectl } = cluster;
    const rollout = "-n kube-system rollout status deployment/tandem-dashboard --timeout=60s";
    assert.match(await kubectl.run(...rollout.split(" ")), /successfully rolled out/);
    const query = "-n kube-system get pods -l app.kubernetes.io/name=tandem-dashboard -o name";
    const pod = (await kubectl.run(...query.split(" "))).trim().replace("pod/", "");
    const inside = cluster.in(`kube-system/${pod}`);
    const curl = async (path: string, ...more: string[]): Promise<string> => {
      const own = ["-H", "x-tandem-dashboard: 1"];
      const url = `http://localhost:8888/api/${path}`;
      return (await inside.run(["curl", "-s", "--max-time", "5", ...own, ...more, url])).stdout;
    };
    // It answers at once: whoever is ready does.
    assert.deepEqual(JSON.parse(await curl("door")), { logIn: "token" });
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
}
