import { once } from "node:events";
import { PassThrough } from "node:stream";
import { ChannelSocket } from "./channel-socket.ts";
import { acceptWebSocket, type UpgradeRequest } from "./handshake.ts";
import {
  type Outcome,
  outcomeStatus,
  outcomeText,
  type RemoteCommand,
  type TerminalSize,
  type WantedStreams,
} from "./remote-command-types.ts";

/** The protocols; those without a version are told of failures alone, in words. */
const protocols = [
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
  "",
];
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4, close: 255 } as const;

/** Accepts a command over WebSocket, with a channel for each of its streams. */
export async function acceptWebSocketCommand(
  upgrade: UpgradeRequest,
  wanted: WantedStreams,
): Promise<RemoteCommand> {
  const { webSocket, protocol } = await acceptWebSocket(upgrade, protocols);
  const socket = new ChannelSocket(webSocket, { isText: protocol.includes("base64") });
  const isVersioned = /^v\d/.test(protocol);
  const stdin = wanted.stdin ? new PassThrough() : undefined;
  const listeners: ((size: TerminalSize) => void)[] = [];
  let size: TerminalSize | undefined;

  socket.onMessage((channel, data) => {
    if (channel === channels.stdin && stdin?.write(data) === false) {
      // The client is held back until the process has read what it sent.
      return Promise.race([once(stdin, "drain"), socket.closed]).then(() => undefined);
    }
    if (channel === channels.close && data[0] === channels.stdin) stdin?.end();
    if (channel === channels.resize) {
      size = parseSize(data) ?? size;
      if (size !== undefined) for (const listener of listeners) listener(size);
    }
    return undefined;
  });
  void socket.closed.then(() => stdin?.end());

  return {
    stdin,
    stdout: wanted.stdout ? socket.output(channels.stdout) : undefined,
    stderr: wanted.stderr && !wanted.tty ? socket.output(channels.stderr) : undefined,
    closed: socket.closed,
    onResize(listener) {
      listeners.push(listener);
      if (size !== undefined) listener(size);
    },
    async finish(outcome) {
      const text = reportOf(outcome, isVersioned);
      if (text !== "") socket.send(channels.error, Buffer.from(text));
      socket.close();
      await socket.closed;
    },
  };
}

function reportOf(outcome: Outcome, isVersioned: boolean): string {
  return isVersioned ? JSON.stringify(outcomeStatus(outcome)) : outcomeText(outcome);
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
