import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { CommandError } from "../../src/base/host/error.ts";
import { withCluster } from "./cluster.fixture.ts";

test("a cluster comes up with nodes of both families, and its hosts reach each other", async () => {
  await withCluster({ nodes: 2, dns: false }, async (cluster) => {
    const { nodes, programs } = await cluster.status();
    assert.deepEqual(
      nodes.map(({ name, isReady, addresses }) => ({ name, isReady, addresses })),
      [
        { name: "node-1", isReady: true, addresses: ["192.168.111.11", "fd00:111::b"] },
        { name: "node-2", isReady: true, addresses: ["192.168.111.12", "fd00:111::c"] },
      ],
    );
    assert.deepEqual(
      programs.map(({ name, isRunning }) => [name, isRunning]),
      ["supervisor", "server", "node-1", "node-2"].map((name) => [name, true]),
    );
    assert.equal(
      await cluster.kubectl.run("get", "nodes", "-o", "name"),
      "node/node-1\nnode/node-2\n",
    );
    for (const [from, host] of [
      ["node-1", "192.168.111.2"],
      ["node-2", "[fd00:111::2]"],
      ["outside", "192.168.111.2"],
      ["outside", "[fd00:111::2]"],
    ] as const) {
      const asked = ["curl", "--silent", "--insecure", `https://${host}:6443/healthz`];
      assert.equal((await cluster.in(from).run(asked)).stdout, "ok", `${from} to ${host}`);
    }
  });
});

test("clusters live side by side, each with a context of its own", async () => {
  await withCluster({ nodes: 1, dns: false }, async (one) => {
    await withCluster({ nodes: 1, dns: false }, async (other) => {
      await one.kubectl.run("create", "namespace", "only-in-one");
      await assert.rejects(other.kubectl.run("get", "namespace", "only-in-one"), /not found/);

      const environment = { KUBECONFIG: join(one.directory, "merged"), HOME: one.directory };
      for (const cluster of [one, other]) {
        const said = await cluster.tandem(["kubeconfig", "--merge"], { environment });
        assert.match(said, new RegExp(`Context tandem-${cluster.name} is in`));
      }
      const merged = await readFile(environment.KUBECONFIG, "utf8");
      for (const cluster of [one, other]) {
        const context = `tandem-${cluster.name}`;
        assert.ok(merged.includes(`name: ${context}`));
        assert.match(
          await cluster.tandem(["kubeconfig"]),
          new RegExp(`current-context: ${context}`),
        );
      }
    });
    assert.equal((await one.status()).nodes.length, 1);
  });
});

test("shells are in the network they are asked for, and end as their command does", async () => {
  await withCluster({ nodes: 1, dns: false }, async (cluster) => {
    const shown = await cluster.tandem(["shell", "outside", "--", "ip", "-brief", "address"]);
    assert.match(shown, /^eth0\S* +UP +203\.0\.113\.10\/24 2001:db8:113::a\/64/m);
    const failing = cluster.tandem(["shell", "node-1", "--", "sh", "-c", "exit 7"]);
    await assert.rejects(failing, (error) => error instanceof CommandError && error.exitCode === 7);
    const nowhere = cluster.tandem(["shell", "nowhere", "--", "true"]);
    await assert.rejects(nowhere, /no node runs pod default\/nowhere/);
  });
});

test("[API-1] every command finds the cluster by its name, by KUBECONFIG and by --kubeconfig", async () => {
  await withCluster({ nodes: 1, dns: false }, async (cluster) => {
    const { name, kubeconfig, directory } = cluster;
    const ways = {
      "its name in the environment": { flags: [], environment: { KUBECONFIG: "" } },
      "its name": { flags: ["--name", name], environment: { TANDEM_CLUSTER: "", KUBECONFIG: "" } },
      KUBECONFIG: { flags: [], environment: { TANDEM_CLUSTER: "", KUBECONFIG: kubeconfig } },
      "--kubeconfig": {
        flags: [`--kubeconfig=${kubeconfig}`],
        environment: { TANDEM_CLUSTER: "", KUBECONFIG: join(directory, "another") },
      },
    };
    for (const [way, { flags, environment }] of Object.entries(ways)) {
      const run = (...words: string[]) =>
        cluster.tandem([...words, ...flags], { environment: { HOME: directory, ...environment } });
      const [node, tokens, traced, vips] = await Promise.all([
        run("describe", "node", "node-1"),
        run("token", "list"),
        run("trace", "outside", "node/node-1:10250", "--family=IPv4"),
        run("vip", "status").catch((error: unknown) => String(error)),
      ]);
      assert.match(node, /^Name: +node-1$/m, way);
      assert.match(tokens, /tandem up/, way);
      assert.match(traced, / in node-1, which answered\.$/m, way);
      assert.match(traced, /^switch$/m, way);
      assert.match(vips, /infrastructures.* "cluster" not found/, way);
    }
    const nowhere = cluster.tandem(["token", "list", "--name=none"], {
      environment: { HOME: directory, KUBECONFIG: "" },
    });
    await assert.rejects(nowhere, /Cannot find cluster none: it does not run/);
  });
});
