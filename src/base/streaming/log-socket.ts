// Logs over WebSocket: bytes as they are, or in base64 for clients in browsers.
import { once } from "node:events";
import { acceptWebSocket, type UpgradeRequest } from "./handshake.ts";

const protocols = ["binary.k8s.io", "base64.binary.k8s.io", ""];

export interface LogSocket {
  /** The signal that aborts when the client is gone. */
  readonly gone: AbortSignal;
  /** Sends all of it, then closes the connection. */
  send(chunks: AsyncIterable<string | Uint8Array>): Promise<void>;
}

export async function acceptLogSocket(upgrade: UpgradeRequest): Promise<LogSocket> {
  const { webSocket, protocol } = await acceptWebSocket(upgrade, protocols);
  const isText = protocol.includes("base64");
  const gone = new AbortController();
  webSocket.once("close", () => gone.abort());
  webSocket.on("error", () => webSocket.terminate());
  const sendOne = (data: Buffer) =>
    new Promise<void>((resolve) => {
      webSocket.send(isText ? data.toString("base64") : data, () => resolve());
    });
  return {
    gone: gone.signal,
    async send(chunks) {
      for await (const chunk of chunks) {
        if (gone.signal.aborted) return;
        await sendOne(Buffer.from(chunk));
      }
      webSocket.close(1000);
      if (!gone.signal.aborted) await once(gone.signal, "abort");
    },
  };
}
