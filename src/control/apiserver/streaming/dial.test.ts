import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { dial, proxyableAddress } from "./dial.system.ts";

describe("a proxy", () => {
  test("[SEC-1] takes nobody to the server's own addresses, nor to those of links", async () => {
    const refused = [
      "127.0.0.1 127.8.9.10 ::1 0.0.0.0 :: localhost",
      "169.254.169.254 fe80::1 224.0.0.1 ff02::1 255.255.255.255",
      "::ffff:127.0.0.1 0177.0.0.1 fe80::1%eth0 no.such.name.invalid",
    ].flatMap((line) => line.split(" "));
    for (const host of refused) {
      await assert.rejects(proxyableAddress(host), { message: "address not allowed" }, host);
    }
    assert.equal(await proxyableAddress("10.244.0.7"), "10.244.0.7");
    assert.equal(await proxyableAddress("fd00:10::7"), "fd00:10::7");
  });

  test("[SEC-4] gives up on who takes the connection and says nothing", async (t) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, "127.0.0.1");
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const place = { host: "127.0.0.1", port, what: "trying to reach", timeoutMs: 100 };
    await assert.rejects(dial({ ...place, tls: {} }), {
      message: `error trying to reach 127.0.0.1 port ${port}: no answer within 0.1 seconds`,
    });
    const socket = await dial(place);
    socket.destroy();
    server.close();
  });

  test("names the address and port that refused the connection", async () => {
    const place = { host: "127.0.0.1", port: 1, what: "trying to reach" };
    await assert.rejects(dial(place), /error trying to reach 127\.0\.0\.1 port 1: .*ECONNREFUSED/);
  });
});
