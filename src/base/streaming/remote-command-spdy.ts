import { finished } from "node:stream/promises";
import { acceptSpdy, type UpgradeRequest } from "./handshake.ts";
import {
  outcomeStatus,
  type RemoteCommand,
  type TerminalSize,
  type WantedStreams,
} from "./remote-command-types.ts";
import { SpdySession } from "./spdy/session.ts";
import type { SpdyStream } from "./spdy/stream.ts";

const protocols = ["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io"];
const types = ["error", "stdin", "stdout", "stderr", "resize"];
const patience = 30_000;

export async function acceptSpdyCommand(
  upgrade: UpgradeRequest,
  wanted: WantedStreams,
): Promise<RemoteCommand> {
  const protocol = acceptSpdy(upgrade, protocols);
  const expected = expectedStreams(wanted, protocol);
  const arrived = new Map<string, SpdyStream>();
  const complete = Promise.withResolvers<void>();
  const resizing = Promise.withResolvers<SpdyStream>();
  const session = new SpdySession(upgrade.socket, {
    onStream(stream) {
      const type = stream.headers.get("streamtype") ?? "";
      if (!types.includes(type)) return;
      arrived.set(type, stream);
      if (type === "resize") resizing.resolve(stream);
      if (arrived.size >= expected) complete.resolve();
    },
  });
  await all(complete.promise, session);

  const error = arrived.get("error");
  return {
    stdin: arrived.get("stdin"),
    stdout: arrived.get("stdout"),
    stderr: arrived.get("stderr"),
    closed: session.closed,
    onResize(listener) {
      void resizing.promise.then((resize) =>
        resize.on("data", (chunk: Buffer) => {
          for (const size of sizesIn(chunk)) listener(size);
        }),
      );
    },
    async finish(outcome) {
      const status = outcomeStatus(outcome);
      const isStructured = protocol === "v4.channel.k8s.io";
      const text = isStructured ? JSON.stringify(status) : plainText(status);
      const outputs = [arrived.get("stdout"), arrived.get("stderr")];
      await Promise.allSettled(outputs.map((output) => endOf(output)));
      error?.end(text);
      await Promise.allSettled([endOf(error)]);
      session.end();
      await session.closed;
    },
  };
}

/**
 * How many streams make the client complete. They are counted, as Kubernetes does, not compared by name: some
 * clients ask for a terminal and then open a stream for errors in place of the one for sizes.
 */
function expectedStreams(wanted: WantedStreams, protocol: string): number {
  const { stdin, stdout, stderr, tty } = wanted;
  const others = [stdin, stdout, stderr && !tty, tty && protocol !== "v2.channel.k8s.io"];
  return 1 + others.filter(Boolean).length;
}

async function all(complete: Promise<void>, session: SpdySession): Promise<void> {
  const timer = setTimeout(
    () => session.destroy(new Error("Cannot start: the client did not open its streams in time")),
    patience,
  );
  const gone = session.closed.then(() => {
    throw new Error("Cannot start: the client closed the connection");
  });
  try {
    await Promise.race([complete, gone]);
  } finally {
    clearTimeout(timer);
    gone.catch(() => undefined);
  }
}

/** Ends an output stream and waits until its last byte is written. */
async function endOf(stream: SpdyStream | undefined): Promise<void> {
  if (stream === undefined) return;
  if (!stream.writableEnded) stream.end();
  await finished(stream, { readable: false });
}

/** Parses terminal sizes: each is a JSON object; several may come in one chunk. */
function sizesIn(chunk: Buffer): TerminalSize[] {
  return chunk
    .toString()
    .split(/(?<=\})/)
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text) => {
      const { Width = 0, Height = 0 } = JSON.parse(text) as { Width?: number; Height?: number };
      return { width: Width, height: Height };
    });
}

function plainText(status: object): string {
  const { status: result, message } = status as { status: string; message?: string };
  return result === "Success" ? "" : (message ?? "");
}
