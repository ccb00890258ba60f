// A watch for tests, as an iterable of events.
import { request } from "node:https";
import type { TestServer } from "./start.ts";

export interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly kind?: string;
    readonly code?: number;
    readonly metadata?: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly labels?: Record<string, string>;
      readonly annotations?: Record<string, string>;
    };
  };
}

/** Yields events until the server ends the watch or the caller breaks off. */
export async function* openWatch(
  server: TestServer,
  path: string,
  accept = "application/json",
): AsyncGenerator<WatchEvent, undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.ReadableStream>();
  const sent = request(
    server.url + path,
    { agent: server.agent, headers: { accept } },
    (response) => resolve(response),
  );
  sent.on("error", reject);
  sent.end();
  let rest = "";
  try {
    for await (const chunk of await promise) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield JSON.parse(line) as WatchEvent;
    }
  } finally {
    sent.destroy();
  }
}

/** Returns the next events, as many as asked for. */
export async function take(
  events: AsyncGenerator<WatchEvent, undefined>,
  count: number,
): Promise<WatchEvent[]> {
  const taken: WatchEvent[] = [];
  while (taken.length < count) {
    const { value } = await events.next();
    if (value === undefined) break;
    taken.push(value);
  }
  return taken;
}
