// Hooks that deliver an event. Each rejects when delivery failed.

import type { Commands } from "../../../base/host/command.ts";
import type { GroupEvent } from "./member.ts";

export type Hook = (event: GroupEvent, signal: AbortSignal) => Promise<void>;

const timeoutMs = 60_000;

/** Runs a command in a shell, with the event in its environment and, as JSON, on its input. */
export function commandHook(command: string, commands: Commands): Hook {
  return async (event, signal) => {
    const { id, type, member } = event;
    await commands.run(["sh", "-c", command], {
      stdin: `${JSON.stringify(event)}\n`,
      environment: {
        TANDEM_EVENT_ID: id,
        TANDEM_EVENT: type,
        TANDEM_MEMBER_NAMESPACE: member.namespace,
        TANDEM_MEMBER_NAME: member.name,
        TANDEM_MEMBER_UID: member.uid,
        TANDEM_MEMBER_ADDRESSES: member.addresses.join(","),
      },
      timeoutMs,
      signal,
    });
  };
}

/** Posts the event as JSON; any 2xx status counts as delivered. */
export function webHook(url: string): Hook {
  return async (event, signal) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": event.id },
      body: JSON.stringify(event),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`Cannot post to ${url}: it answered ${response.status}`);
  };
}

export function printHook(output: { write(text: string): unknown }): Hook {
  return (event) => {
    output.write(`${JSON.stringify(event)}\n`);
    return Promise.resolve();
  };
}
