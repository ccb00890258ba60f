import { PassThrough, Writable } from "node:stream";
import type { WebSocket } from "ws";
import { acceptWebSocket, type UpgradeRequest } from "./handshake.ts";
import {
  outcomeStatus,
  type RemoteCommand,
  type TerminalSize,
  type WantedStreams,
} from "./remote-command-types.ts";

const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Accepts a command over WebSocket, whose messages tell the channel in their first byte. */
export async function acceptWebSocketCommand(
  upgrade: UpgradeRequest,
  wanted: WantedStreams,
): Promise<RemoteCommand> {
  const { webSocket } = await acceptWebSocket(upgrade, protocols);
  const stdin = wanted.stdin ? new PassThrough() : undefined;
  const listeners: ((size: TerminalSize) => void)[] = [];
  let size: TerminalSize | undefined;

  webSocket.on("message", (message: Buffer) => {
    const data = message.subarray(1);
    switch (message[0]) {
      case channels.stdin:
        // Pausing holds the client back until the process has read what it sent.
        if (stdin?.write(data) === false) {
          webSocket.pause();
          stdin.once("drain", () => webSocket.resume());
        }
        break;
      case channels.close:
        if (data[0] === channels.stdin) stdin?.end();
        break;
      case channels.resize:
        size = parseSize(data) ?? size;
        if (size !== undefined) for (const listener of listeners) listener(size);
        break;
      default:
        break;
    }
  });
  const closed = new Promise<void>((resolve) => {
    webSocket.once("close", () => {
      stdin?.end();
      resolve();
    });
  });
  // ws emits "close" after every error.
  webSocket.on("error", () => webSocket.terminate());

  return {
    stdin,
    stdout: wanted.stdout ? channel(webSocket, channels.stdout) : undefined,
    stderr: wanted.stderr && !wanted.tty ? channel(webSocket, channels.stderr) : undefined,
    closed,
    onResize(listener) {
      listeners.push(listener);
      if (size !== undefined) listener(size);
    },
    async finish(outcome) {
      const status = Buffer.from(JSON.stringify(outcomeStatus(outcome)));
      webSocket.send(Buffer.concat([Buffer.of(channels.error), status]));
      webSocket.close(1000);
      await closed;
    },
  };
}

function channel(webSocket: WebSocket, number: number): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (webSocket.readyState !== webSocket.OPEN) {
        done();
        return;
      }
      webSocket.send(Buffer.concat([Buffer.of(number), chunk]), (error) => done(error ?? null));
    },
  });
}

function parseSize(data: Buffer): TerminalSize | undefined {
  try {
    const { Width = 0, Height = 0 } = JSON.parse(data.toString()) as {
      Width?: number;
      Height?: number;
    };
    return { width: Width, height: Height };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
