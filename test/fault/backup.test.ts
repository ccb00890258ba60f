import assert from "node:assert/strict";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { type EtcdFixture, startEtcd } from "../fixtures/etcd.ts";
import { TestServer } from "../fixtures/server.ts";

const tandem = new URL("../../bin/tandem", import.meta.url).pathname;
const objects = "/api/v1/namespaces/default/configmaps";
const commands = systemCommands();

describe("backup and restore of a cluster", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start();
  });
  after(() => server?.[Symbol.asyncDispose]());

  test("[INST-4] a cluster that was backed up while it was written to is back after its data is gone", async () => {
    await server.call("POST", objects, { metadata: { name: "before" }, data: { a: "b" } });
    const was = await server.call("GET", `${objects}/before`);
    const writing = write(server);
    const file = join(server.directory, "one.backup");
    await run("backup", server, file);
    await writing;
    await server.kill();
    await rm(join(server.directory, "data"), { recursive: true });
    await run("restore", server, file);
    await server.launch();
    const is = await server.call("GET", `${objects}/before`);
    // Resource version and UID are the same, and so is the root that signed the client's certificate.
    assert.deepEqual(is.body, was.body);
    const made = await server.call("POST", objects, { metadata: { name: "later" } });
    assert.equal(made.code, 201);
    assert.ok(
      Number(made.body.metadata?.resourceVersion) > Number(was.body.metadata?.resourceVersion),
    );
  });

  test("[INST-4] a running server, a store that holds something and another cluster are not restored over", async () => {
    const file = join(server.directory, "two.backup");
    await run("backup", server, file);
    await assert.rejects(run("restore", server, file, "--replace"), /another process has it open/);
    await using other = await TestServer.start();
    await other.kill();
    await assert.rejects(run("restore", other, file), /it is of the cluster sha256:/);
    await server.kill();
    await assert.rejects(run("restore", server, file), /it holds a cluster already/);
    await run("restore", server, file, "--replace");
    await server.launch();
    assert.equal((await server.call("GET", `${objects}/before`)).code, 200);
  });
});

describe("backup and restore of a cluster on etcd", () => {
  let etcd: EtcdFixture;
  let server: TestServer;
  before(async () => {
    etcd = await startEtcd();
    server = await TestServer.start({ store: etcd.storeUrl("/backed-up") });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await etcd?.[Symbol.asyncDispose]();
  });

  test("[INST-4] a cluster on etcd goes on from a backup, in an embedded store as well", async () => {
    const store = `--store=${etcd.storeUrl("/backed-up")}`;
    await server.call("POST", objects, { metadata: { name: "before" }, data: { a: "b" } });
    const was = await server.call("GET", `${objects}/before`);
    const file = join(server.directory, "one.backup");
    await run("backup", server, file, store);
    await server.call("DELETE", `${objects}/before`);
    await server.kill();
    await assert.rejects(run("restore", server, file, store), /it holds a cluster already/);
    await run("restore", server, file, store, "--replace");
    await server.launch();
    const { body } = await server.call("GET", `${objects}/before`);
    assert.deepEqual(body.data, was.body.data);
    const { uid } = was.body.metadata as { uid?: string };
    assert.equal((body.metadata as { uid?: string }).uid, uid);

    await using embedded = await TestServer.start();
    await embedded.kill();
    await rename(join(embedded.directory, "data"), join(embedded.directory, "old"));
    await run("restore", embedded, file);
    await embedded.launch();
    assert.deepEqual((await embedded.call("GET", `${objects}/before`)).body, was.body);
  });
});

async function run(
  command: "backup" | "restore",
  server: TestServer,
  file: string,
  ...options: readonly string[]
): Promise<void> {
  const place = `--data-dir=${join(server.directory, "data")}`;
  await commands.run([tandem, command, place, ...options, file]);
}

async function write(server: TestServer): Promise<void> {
  for (let each = 0; each < 100; each++) {
    const { code } = await server.call("POST", objects, { metadata: { name: `during-${each}` } });
    assert.equal(code, 201);
  }
}
