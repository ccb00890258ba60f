// Many requests from a host of their own: `node ingress-load.ts '{"urls": […], "requests": 10000, …}'`.
// At the end it says how they went.

import { Agent, request } from "node:http";
import type { Heard } from "./ingress-backend.ts";

export interface LoadOptions {
  readonly urls: readonly string[];
  readonly host: string;
  readonly requests: number;
  readonly concurrency: number;
  /** At most so many in a second. */
  readonly perSecond: number;
  /**
   * Connections are kept. One that is found closed is replaced, and the request sent again, as Go's client
   * does with requests that may be repeated; Node leaves it to whoever uses it.
   */
  readonly keepsConnections?: boolean;
}

export interface LoadSummary {
  readonly answered: number;
  /** How many had to be sent again. */
  readonly sentAgain: number;
  /** What was wrong, and how often. */
  readonly failures: Readonly<Record<string, number>>;
  readonly byBackend: Readonly<Record<string, number>>;
}

const options = JSON.parse(process.argv[2] ?? "{}") as LoadOptions;
const agent = new Agent({ keepAlive: options.keepsConnections === true });
const failures: Record<string, number> = {};
const byBackend: Record<string, number> = {};
let sent = 0;
let answered = 0;
let sentAgain = 0;

interface Answer {
  readonly status: number;
  readonly text: string;
}

class ClosedBefore extends Error {
  override readonly name = "ClosedBefore";
}

async function askAgainIfClosed(url: string): Promise<Answer> {
  try {
    return await ask(url);
  } catch (error) {
    if (!(error instanceof ClosedBefore)) throw error;
    sentAgain += 1;
    return await askAgainIfClosed(url);
  }
}

function ask(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(url, { agent, headers: { host: options.host }, timeout: 20_000 });
    asking.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    asking.on("timeout", () => asking.destroy(new Error("timed out")));
    asking.on("error", (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === "ECONNRESET" || error.code === "EPIPE";
      reject(asking.reusedSocket && isClosed ? new ClosedBefore() : error);
    });
    asking.end();
  });
}

async function work(): Promise<void> {
  const begun = performance.now();
  while (sent < options.requests) {
    const n = sent++;
    const early = (n * 1000) / options.perSecond - (performance.now() - begun);
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    try {
      const { status, text } = await askAgainIfClosed(options.urls[n % options.urls.length] ?? "");
      if (status !== 200) throw new Error(`status ${status}`);
      const { backend } = JSON.parse(text) as Heard;
      byBackend[backend] = (byBackend[backend] ?? 0) + 1;
      answered += 1;
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      failures[what] = (failures[what] ?? 0) + 1;
    }
  }
}

await Promise.all(Array.from({ length: options.concurrency }, work));
process.stdout.write(
  JSON.stringify({ answered, sentAgain, failures, byBackend } satisfies LoadSummary),
);
