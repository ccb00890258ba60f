import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { dataPlaces } from "../../src/programs/up/places.ts";
import { type DisposableCluster, disposableCluster, says } from "./cluster.fixture.ts";
import { programOf } from "./cluster-traces.fixture.ts";

test("an agent that ends in its first start is started again, and the cluster comes up", async () => {
  await using cluster = await disposableCluster({ nodes: 1, dns: false });
  const environment = { NODE_OPTIONS: `--require=${await firstEnder(cluster)}` };
  const dataDir = `--data-dir=${join(cluster.directory, "data")}`;
  const flags = ["--detach", "--port=0", "--nodes=1", "--dns=false", dataDir];
  assert.match(await cluster.tandem(["up", ...flags], { environment }), /is up\./);
  const { restarts } = await programOf(cluster, "node-1");
  assert.ok(restarts >= 1, `it was started again ${restarts} times`);
});

test("an agent that ends again and again is given up, with its last words", async () => {
  await using cluster = await disposableCluster({ nodes: 1, dns: false });
  const obstacle = await obstruct(cluster);
  const isTold = says(
    /Cannot start node-1: it ended 3 times, at last with code 1: .*nodes\/node-1/s,
  );
  await assert.rejects(cluster.up(), isTold);
  await rm(obstacle);
  assert.match(await cluster.up(), /is up\./);
});

/** A file where the agent would have its directory. */
async function obstruct({ directory }: DisposableCluster): Promise<string> {
  const path = join(dataPlaces(join(directory, "data")).nodes, "node-1");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "");
  return path;
}

/** What every program begins with: it ends the first agent, and no other. */
async function firstEnder({ directory }: DisposableCluster): Promise<string> {
  const path = join(directory, "first-ender.cjs");
  const mark = JSON.stringify(join(directory, "first-end"));
  const lines = [
    `const { existsSync, writeFileSync } = require("node:fs");`,
    `if (process.argv[2] === "agent" && !existsSync(${mark})) {`,
    `  writeFileSync(${mark}, "");`,
    `  process.exit(1);`,
    `}`,
  ];
  await writeFile(path, lines.join("\n"));
  return path;
}
