// The RuntimeClass of a pod: the node must have its handler.

import type { Client } from "../../../api/client/client.ts";
import { isNotFound } from "../../../api/client/errors.ts";
import type { Pod } from "../../../api/types/core.ts";

const usualHandlers: readonly string[] = ["runc"];

export interface RuntimeSettings {
  readonly client: Client;
  readonly runtimeHandlers?: readonly string[];
}

/** Rejects when the pod's class does not exist, or names a handler that this node does not have. */
export async function checkRuntime({ spec }: Pod, settings: RuntimeSettings): Promise<void> {
  const { client, runtimeHandlers = usualHandlers } = settings;
  const { runtimeClassName: name = "" } = spec;
  if (name === "") return;
  const quoted = JSON.stringify(name);
  const handler = await handlerOf(client, name);
  if (handler === undefined) throw new Error(`Cannot use RuntimeClass ${quoted}: it is not there`);
  if (runtimeHandlers.includes(handler)) return;
  const state = `its handler ${JSON.stringify(handler)} is not configured on this node`;
  throw new Error(`Cannot use RuntimeClass ${quoted}: ${state}`);
}

async function handlerOf(client: Client, name: string): Promise<string | undefined> {
  try {
    const { handler } = await client.resource("node.k8s.io/v1", "RuntimeClass").get({ name });
    return handler;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
