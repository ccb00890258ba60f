import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { request } from "node:http";
import { defined } from "../../base/json/defined.ts";

export interface Asking {
  readonly timeoutMs: number;
  /** The address to send from. */
  readonly source?: string | undefined;
}

export interface Answer {
  /** Whether the HTTP status is below 400. */
  readonly ok: boolean;
  readonly text: string;
}

export async function get(url: string, { timeoutMs, source }: Asking): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const asked = request(url, {
      agent: false,
      ...defined({ localAddress: source }),
    });
    const timer = setTimeout(
      () => asked.destroy(new Error(`Cannot get ${url}: no answer in ${timeoutMs} ms`)),
      timeoutMs,
    );
    asked.once("error", reject).once("close", () => clearTimeout(timer));
    asked.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk)).once("error", reject);
      response.once("end", () =>
        resolve({
          ok: (response.statusCode ?? 500) < 400,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asked.end();
  });
}

/** Sends a datagram; returns the first one that comes back. */
export async function sendDatagram(
  target: string,
  { timeoutMs, source, text }: Asking & { readonly text: string },
): Promise<string> {
  const { hostname, port } = new URL(`udp://${target}`);
  const { address, family } = await lookup(hostname.replace(/^\[(.*)\]$/, "$1"));
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  try {
    if (source !== undefined) {
      const bound = once(socket, "listening");
      socket.bind({ address: source });
      await bound;
    }
    const answer = once(socket, "message", { signal: AbortSignal.timeout(timeoutMs) });
    socket.send(text, Number(port), address);
    const [message] = (await answer) as [Buffer];
    return message.toString();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    throw new Error(`Cannot ask ${target}: no answer in ${timeoutMs} ms`, { cause: error });
  } finally {
    socket.close();
  }
}
