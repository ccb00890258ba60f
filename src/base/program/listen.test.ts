import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  boundAddress,
  formatListenAddress,
  type ListenAddress,
  listenOn,
} from "./listen.system.ts";

/** Listens, and closes all servers afterwards. */
async function withListeners(
  addresses: readonly ListenAddress[],
  use: (servers: Server[]) => Promise<void> | void,
): Promise<void> {
  const servers = await listenOn(addresses, () => createServer());
  try {
    await use(servers);
  } finally {
    for (const server of servers) server.close();
  }
}

function hostPortOf(server: Server | undefined): { host: string; port: number } {
  const bound = boundAddress(server ?? assert.fail("nothing listens"));
  return "port" in bound ? bound : assert.fail("a socket");
}

test("every address of both families can be listened on side by side", async () => {
  await withListeners([{ host: "", port: 0 }], (servers) => {
    const bound = servers.map(hostPortOf);
    assert.deepEqual(
      bound.map(({ host }) => host),
      ["::", "0.0.0.0"],
    );
    assert.equal(bound[0]?.port, bound[1]?.port);
  });
});

test("a free port of one family that is taken in the other is passed over", async () => {
  const opened: Server[] = [];
  const taken = createServer();
  const listening = await listenOn([{ host: "localhost", port: 0 }], () => {
    // Another process takes the port first, once.
    const [first] = opened;
    if (opened.length === 1) taken.listen(hostPortOf(first).port, "127.0.0.1");
    const server = createServer();
    opened.push(server);
    return server;
  });
  try {
    assert.equal(opened.length, 4);
    const [one, other] = listening.map(hostPortOf);
    assert.equal(one?.port, other?.port);
    assert.notEqual(one?.port, hostPortOf(taken).port);
  } finally {
    for (const server of [taken, ...listening]) server.close();
  }
});

test("a port that is taken is named, and nothing stays open", async () => {
  await withListeners([{ host: "127.0.0.1", port: 0 }], async (servers) => {
    const taken = hostPortOf(servers[0]);
    let opened = 0;
    let closed = 0;
    const counted = () =>
      createServer()
        .on("listening", () => opened++)
        .on("close", () => closed++);
    await assert.rejects(listenOn([{ host: "::1", port: 0 }, taken], counted), {
      message: `Cannot listen on 127.0.0.1:${taken.port}: another process listens there`,
      reason: "EADDRINUSE",
    });
    assert.deepEqual([opened, closed], [1, 1]);
  });
});

test("an address the machine does not have is an error when it is asked for by itself", async () => {
  // The address is from 192.0.2.0/24, which is reserved for documentation.
  await assert.rejects(
    withListeners([{ host: "192.0.2.1", port: 0 }], () => {}),
    {
      message: "Cannot listen on 192.0.2.1:0: this machine does not have the address",
    },
  );
});

test("a socket that was left behind is replaced, anything else is not", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-listen-"));
  const path = join(directory, "a.sock");
  const taken = `Cannot listen on unix:${path}: another process listens there`;
  try {
    await withListeners([{ path }], async () => {
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      await assert.rejects(
        withListeners([{ path }], () => {}),
        { message: taken },
      );
    });
    await leaveSocketBehind(path);
    await withListeners([{ path }], ([server]) => {
      assert.deepEqual(boundAddress(server ?? assert.fail()), { path });
    });
    await writeFile(path, "data");
    await assert.rejects(
      withListeners([{ path }], () => {}),
      { message: taken },
    );
    assert.equal((await stat(path)).size, 4);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("addresses are written with IPv6 in brackets", () => {
  assert.equal(formatListenAddress({ host: "::1", port: 80 }), "[::1]:80");
  assert.equal(formatListenAddress({ host: "", port: 80 }), ":80");
  assert.equal(formatListenAddress({ path: "/a" }), "unix:/a");
});

/** Leaves a socket file behind, as a process that is killed does. */
async function leaveSocketBehind(path: string): Promise<void> {
  const { spawnSync } = await import("node:child_process");
  const script = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  const { signal } = spawnSync(process.execPath, ["-e", script], { timeout: 60_000 });
  assert.equal(signal, "SIGKILL");
  assert.ok((await stat(path)).isSocket());
}
