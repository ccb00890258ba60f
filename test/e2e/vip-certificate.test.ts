// A virtual address that comes at run time is one that clients can verify.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "node:tls";
import { TestServer } from "../fixtures/server.ts";

const path = "/apis/config.openshift.io/v1/infrastructures";

test("[VIP-9] the server's certificate follows the API's virtual addresses while it runs, and keeps connections", async () => {
  await using server = await TestServer.start();
  assert.equal(await isVerified(server, "192.168.111.5"), false);
  const lists = { apiServerInternalIPs: ["192.168.111.5"], ingressIPs: ["192.168.111.4"] };
  const spec = { platformSpec: { type: "BareMetal", baremetal: lists } };
  const created = await server.call("POST", path, { metadata: { name: "cluster" }, spec });
  assert.equal(created.code, 201, created.text);
  const watch = await server.open("GET", "/api/v1/namespaces?watch=true");

  await patch(server, { status: { platformStatus: { type: "BareMetal", baremetal: lists } } });
  await untilVerified(server, ["192.168.111.5"]);
  await patch(server, {
    spec: {
      platformSpec: {
        baremetal: {
          apiServerInternalIPs: ["192.168.111.5", "fd00:111::5"],
          ingressIPs: ["192.168.111.4", "fd00:111::4"],
        },
      },
    },
  });
  await untilVerified(server, ["192.168.111.5", "fd00:111::5", "127.0.0.1"]);
  assert.equal(await isVerified(server, "fd00:111::6"), false);
  assert.equal(watch.destroyed, false, "a watch lasts");
  watch.destroy();

  await server.kill();
  await server.launch();
  for (const vip of ["192.168.111.5", "fd00:111::5"]) assert.ok(await isVerified(server, vip), vip);
});

async function patch(server: TestServer, merge: object): Promise<void> {
  const place = "status" in merge ? `${path}/cluster/status` : `${path}/cluster`;
  const type = "application/merge-patch+json";
  const answer = await server.send("PATCH", place, { body: JSON.stringify(merge), type });
  assert.equal(answer.code, 200, answer.text);
}

async function untilVerified(server: TestServer, vips: readonly string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (const vip of vips) {
    while (!(await isVerified(server, vip))) {
      assert.ok(Date.now() < deadline, `${vip} is not in the certificate:\n${server.output}`);
      await sleep(50);
    }
  }
}

/** Whether a client that calls the server by this address takes its certificate. */
async function isVerified(server: TestServer, vip: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const ca = server.tls.ca;
  const host = "127.0.0.1";
  const socket = connect({ host, port: server.port, ca, checkServerIdentity: () => undefined });
  socket.once("error", reject);
  socket.once("secureConnect", () => {
    resolve(socket.getPeerX509Certificate()?.checkIP(vip) !== undefined);
    socket.destroy();
  });
  return await promise;
}
