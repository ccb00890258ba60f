// What pages do: explaining addresses, tracing, counting denials, following logs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { barriersOf } from "../../fixtures/browser/axe.ts";
import { guestNetwork, talker } from "../dashboard.fixture.ts";
import type { Stage } from "./stage.ts";

export function actionTests(stage: Stage): void {
  test("an address is explained", async () => {
    const { tab, cluster } = stage;
    const ip = await cluster.kubectl.run(
      ..."-n shop get service web -o jsonpath={.spec.clusterIPs[1]}".split(" "),
    );
    await tab.view("#/addresses");
    await tab.click('input[type="search"]');
    await tab.type(ip);
    await tab.shows(/is a cluster IP of service shop\/web/);
  });

  test("[IPAM-3] addresses of IPAM are shown with their use and their holders, in both families", async () => {
    const { tab, cluster } = stage;
    await cluster.kubectl.pipe(guestNetwork, "-n", "shop", "apply", "-f", "-");
    await tab.view("#/addresses");
    await tab.shows(/IPAM guests-node-\d 10\.60\.0\.0\/28 1 of \d+, \S+ % fd60::\/124 1 of \d+/);
    await tab.shows(
      /slices guests 10\.60\.0\.0\/24 1 of 16 slices, 6\.3 % fd60::\/120 1 of 16 slices/,
    );
    await tab.click('input[type="search"]');
    await tab.type("guest");
    await tab.shows(/shop\/guest IPAM, guests-node-\d, net1 10\.60\.0\.\d+ fd60::\d+/);
    await tab.shows(/node-\d slice of IPAM, guests 10\.60\.0\.0\/28 fd60::\/124/);
    const [, ip = ""] = /IPAM, \S+ net1 10\S+ (fd60::\d+)/.exec(await tab.text()) ?? [];
    await tab.view(`#/addresses?q=${encodeURIComponent(ip)}`);
    await tab.shows(/is held by pod shop\/guest, interface net1, in IPAM pool kube-system\/guests/);
    await tab.shows(/is in fd60::\/124, the slice of node node-\d in guests/);
  });

  test("a service without endpoints of one family is wrong there, and the map marks where", async () => {
    const { tab, cluster } = stage;
    const patch = async (endpointFamily: string | null): Promise<void> => {
      const text = JSON.stringify({ spec: { endpointFamily } });
      await cluster.kubectl.run(..."-n shop patch service web --type=merge -p".split(" "), text);
    };
    await tab.view("#/map?service=shop%2Fweb");
    await tab.until(`document.querySelector(".differs") === null`);
    await patch("ipv4");
    try {
      const differ = "≠ the families differ from here: load balancer";
      await tab.shows(new RegExp(`IPv4 1?\\.? ?${differ} \\(1\\).*IPv6.*${differ} \\(0\\) ✖`));
      await tab.view("#/services");
      await tab.shows(/shop\/web ● IPv4 ok: 2 ready endpoints ✖ IPv6 bad: no ready endpoint/);
    } finally {
      await patch(null);
    }
    await tab.shows(/shop\/web ● IPv4 ok: 2 ready endpoints ● IPv6 ok: 2 ready endpoints/);
  });

  test("a trace by click shows both families' ways, hop by hop, with the rules of each", async () => {
    const { tab } = stage;
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
    const { tab, cluster } = stage;
    const query = "-n shop get pods -l app=web -o jsonpath={.items[0].status.podIPs[0].ip}";
    const ip = await cluster.kubectl.run(...query.split(" "));
    await tab.view("#/policies");
    await tab.shows(/Denied packets None/);
    const get = ["tandem-echo", "get", `http://${ip}:9999/`, "--timeout=500ms"];
    await assert.rejects(cluster.kubectl.run("-n", "shop", "exec", "client", "--", ...get));
    await tab.shows(/shop\/web-only ingress, IPv4 \d+ ▲ \d+/);
  });

  test("the log of a pod is followed: a new line is there without being asked for", async () => {
    const { tab, cluster } = stage;
    const { kubectl } = cluster;
    await kubectl.pipe(talker, "-n", "shop", "apply", "-f", "-");
    await tab.view("#/object?kind=Pod&namespace=shop&name=talker");
    await tab.shows(/^first words $/, { within: ".log" });
    await tab.shows(/The last 500 lines, and what is written from now on/);
    await tab.evaluate(`void (document.querySelector(".log").dataset.seen = "yes")`);
    await kubectl.run(..."-n shop exec talker -c main -- touch /tmp/go".split(" "));
    await tab.shows(/^first words last words $/, { within: '.log[data-seen="yes"]' });
    await tab.choose("select[aria-label=container]", "beside");
    await tab.shows(/^I am beside $/, { within: ".log" });
    assert.match(await tab.evaluate<string>("location.hash"), /container=beside/);
    await kubectl.run(..."-n shop delete pod talker --wait=false".split(" "));
  });
}
