import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { acceptRemoteCommand } from "./remote-command.ts";
import type { RemoteCommand, TerminalSize, WantedStreams } from "./remote-command-types.ts";
import { SpdySession } from "./spdy/session.ts";
import type { SpdyStream } from "./spdy/stream.ts";

const terminal = { stdin: false, stdout: true, stderr: true, tty: true };

test("[API-1] a terminal begins for clients that open a stream for errors and none for sizes", async (t) => {
  const { remote, streams } = await command(t, terminal, ["error", "stdout", "stderr"]);
  for (const stream of streams) stream.end();
  const heard = streams.map((stream) => text(stream));
  remote.stdout?.write("out");
  const [, stdout] = streams;
  assert.ok(stdout !== undefined);
  await once(stdout, "readable");
  await remote.finish({ exitCode: 0 });
  const said = await Promise.all(heard);
  assert.deepEqual(said, ['{"metadata":{},"status":"Success"}', "out", ""]);
});

test("[API-1] sizes of the terminal are heard, also by a stream that is opened last", async (t) => {
  for (const types of [
    ["error", "stdout", "resize"],
    ["error", "stdout", "stderr", "resize"],
  ]) {
    const { remote, streams } = await command(t, terminal, types);
    const heard = Promise.withResolvers<TerminalSize>();
    remote.onResize(heard.resolve);
    streams.at(-1)?.write('{"Width":80,"Height":24}\n');
    assert.deepEqual(await heard.promise, { width: 80, height: 24 });
    await remote.finish({ exitCode: 0 });
  }
});

test("[API-1] streams of no known type do not make a client complete", async (t) => {
  const wanted = { stdin: true, stdout: true, stderr: false, tty: false };
  const types = ["error", "other", "another", "stdin", "stdout"];
  const { remote } = await command(t, wanted, types);
  assert.ok(remote.stdin !== undefined && remote.stdout !== undefined);
  await remote.finish({ exitCode: 0 });
});

/** A client that opens streams of these types, and what the server makes of it. */
async function command(
  t: TestContext,
  wanted: WantedStreams,
  types: readonly string[],
): Promise<{ readonly remote: RemoteCommand; readonly streams: readonly SpdyStream[] }> {
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const accepted = Promise.withResolvers<RemoteCommand>();
  server.once("upgrade", (message, socket, head) => {
    acceptRemoteCommand({ request: message, socket, head }, wanted).then(
      accepted.resolve,
      accepted.reject,
    );
  });
  const { port } = server.address() as AddressInfo;
  const headers = {
    connection: "Upgrade",
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": "v4.channel.k8s.io",
  };
  const asked = request({ host: "127.0.0.1", port, method: "POST", headers }).end();
  const [, socket] = (await once(asked, "upgrade")) as [unknown, Socket];
  t.after(() => socket.destroy());
  const session = new SpdySession(socket, { isClient: true, onStream: () => undefined });
  const streams = types.map((type) => session.open(new Map([["streamtype", type]])));
  return { remote: await accepted.promise, streams };
}
