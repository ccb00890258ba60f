import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import type { Duplex } from "node:stream";
import { after, before, describe, test } from "node:test";
import { WebSocket } from "ws";
import type { UpgradeRequest } from "./handshake.ts";
import { acceptLogSocket } from "./log-socket.ts";
import { servePortForward } from "./port-forward.ts";
import { acceptRemoteCommand } from "./remote-command.ts";

/** The programs by path: one that repeats its input, one that fails, a log, and a forwarded port. */
const programs: Readonly<Record<string, (upgrade: UpgradeRequest) => Promise<void>>> = {
  "/repeat": async (upgrade) => {
    const wanted = { stdin: true, stdout: true, stderr: true, tty: false };
    const command = await acceptRemoteCommand(upgrade, wanted);
    const [chunk] = (await once(command.stdin as Duplex, "data")) as [Buffer];
    command.stdout?.write(chunk);
    await command.finish({ exitCode: 0 });
  },
  "/fail": async (upgrade) => {
    const wanted = { stdin: false, stdout: true, stderr: true, tty: false };
    const command = await acceptRemoteCommand(upgrade, wanted);
    await command.finish({ exitCode: 3 });
  },
  "/log": async (upgrade) => {
    const socket = await acceptLogSocket(upgrade);
    async function* lines() {
      yield "one\n";
      yield Buffer.from("two\n");
    }
    await socket.send(lines());
  },
};

describe("[API-1] clients that speak older WebSocket protocols", () => {
  const echo = createTcpServer((socket) => socket.pipe(socket));
  const server = createServer().on("upgrade", (request, socket: Duplex, head: Buffer) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://agent");
    const upgrade = { request, socket, head };
    const connect = async () => connectTo((echo.address() as AddressInfo).port);
    const program = programs[pathname] ?? (() => servePortForward(upgrade, connect, { query }));
    program(upgrade).catch((error: Error) => socket.end(`HTTP/1.1 400 ${error.message}\r\n\r\n`));
  });
  before(async () => {
    for (const each of [server, echo]) await once(each.listen(0, "127.0.0.1"), "listening");
  });
  after(() => {
    server.close();
    server.closeAllConnections();
    echo.close();
  });

  async function connectTo(port: number): Promise<Duplex> {
    const { connect } = await import("node:net");
    return connect(port, "127.0.0.1");
  }

  /** Returns all messages of the server; `first` is sent when the connection is open. */
  async function ask(path: string, protocols: string[], first?: Buffer | string) {
    const { port } = server.address() as AddressInfo;
    const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols);
    const messages: string[] = [];
    client.on("message", (message: Buffer) => messages.push(message.toString()));
    client.once("open", () => first !== undefined && client.send(first));
    await once(client, "close");
    return { messages, protocol: client.protocol };
  }

  test("exec without a version: nothing is said of success", async () => {
    for (const protocols of [["channel.k8s.io"], []]) {
      const { messages, protocol } = await ask("/repeat", protocols, "\u0000hello");
      assert.deepEqual([messages, protocol], [["\u0001hello"], protocols[0] ?? ""]);
    }
  });

  test("exec without a version: a failure is told in words", async () => {
    const { messages } = await ask("/fail", ["channel.k8s.io"]);
    assert.deepEqual(messages, ["\u0003command terminated with non-zero exit code: exit status 3"]);
  });

  test("exec with a base64 protocol encodes every channel, the error channel too", async () => {
    const { messages } = await ask("/repeat", ["base64.channel.k8s.io"], `0${btoa("hello")}`);
    assert.deepEqual(messages, [`1${btoa("hello")}`]);
    const failed = await ask("/fail", ["v4.base64.channel.k8s.io"]);
    const [channel = "", ...text] = failed.messages[0] ?? "";
    assert.equal(channel, "3");
    assert.equal((JSON.parse(atob(text.join(""))) as { status: string }).status, "Failure");
  });

  test("the client's order of protocols counts", async () => {
    const offered = ["unknown", "channel.k8s.io", "v4.channel.k8s.io"];
    assert.equal((await ask("/repeat", offered, "\u0000x")).protocol, "channel.k8s.io");
  });

  test("logs, as they are and in base64", async () => {
    assert.deepEqual((await ask("/log", ["binary.k8s.io"])).messages, ["one\n", "two\n"]);
    const encoded = ["one\n", "two\n"].map((line) => btoa(line));
    assert.deepEqual((await ask("/log", ["base64.binary.k8s.io"])).messages, encoded);
  });

  test("port-forward with its ports in the query", async () => {
    const { port } = server.address() as AddressInfo;
    const url = `ws://127.0.0.1:${port}/forward?ports=258,7`;
    const client = new WebSocket(url, ["v4.channel.k8s.io"]);
    const messages: Buffer[] = [];
    const told = Promise.withResolvers<void>();
    client.on("message", (message: Buffer) => {
      messages.push(message);
      if (messages.length === 4) client.send(Buffer.from("\u0002hello"));
      if (messages.length === 5) told.resolve();
    });
    await told.promise;
    client.terminate();
    assert.deepEqual(
      messages.slice(0, 4).map((message) => [...message]),
      [
        [0, 2, 1],
        [1, 2, 1],
        [2, 7, 0],
        [3, 7, 0],
      ],
    );
    assert.equal(messages[4]?.toString(), "\u0002hello");
  });

  test("port-forward without a port is refused", async () => {
    const { port } = server.address() as AddressInfo;
    const client = new WebSocket(`ws://127.0.0.1:${port}/forward?ports=0`, ["v4.channel.k8s.io"]);
    const [error] = (await once(client, "error")) as [Error];
    assert.match(error.message, /400/);
  });
});
