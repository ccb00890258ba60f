// Waits for the parts of a machine that were just started.

import type { Access } from "../../api/client/access.ts";
import type { Client } from "../../api/client/client.ts";
import { connect } from "../../api/client/connect.ts";
import { ApiError } from "../../api/client/errors.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import { TooLongError, until } from "../../base/host/until.ts";
import type { Address } from "../../base/net/address.ts";
import { serverUrl } from "../../install/machine/machine.ts";
import { type Connection, openConnection } from "../connect/connect.ts";

export interface WaitOptions {
  readonly limitMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Waits until the API answers to the kubeconfig, which its server writes when it starts. */
export async function untilServed(kubeconfig: string, options: WaitOptions): Promise<Connection> {
  const { env, signal } = options;
  const ask = async () => {
    if ((await systemFiles.read(kubeconfig)) === undefined) return undefined;
    const connection = await openConnection({ kubeconfig }, { component: "tandem-install", env });
    try {
      await connection.client.resource("v1", "Namespace").get({ name: "default" }, { signal });
      return connection;
    } catch (error) {
      connection.client.transport.close();
      if (!(error instanceof ApiError)) throw error;
      return undefined;
    }
  };
  return await wait("the API server answers", ask, { ...options, unit: "tandem-server" });
}

/** Waits until the API answers at each of its virtual addresses. */
export async function untilVirtual(
  access: Access,
  vips: readonly Address[],
  options: WaitOptions,
): Promise<void> {
  const parts = { component: "tandem-install", clock: systemClock, random: systemRandom };
  for (const vip of vips) {
    const { transport } = connect({ ...access, server: new URL(serverUrl([vip])) }, parts);
    const ask = async () => {
      try {
        await transport.send({ method: "GET", path: "/readyz", signal: options.signal });
        return true as const;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return undefined;
      }
    };
    try {
      await wait(`the API server answers at ${vip}`, ask, { ...options, unit: "tandem-vip" });
    } finally {
      transport.close();
    }
  }
}

/** Waits until the node is ready, with this version if one is given, and says what it lacks if it is not in time. */
export async function untilReady(
  client: Client,
  name: string,
  options: WaitOptions & { readonly version?: string },
): Promise<void> {
  const { version } = options;
  let state = "it has not registered";
  const ask = async () => {
    try {
      const { status } = await client.resource("v1", "Node").get({ name }, options);
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      const told = status?.nodeInfo?.kubeletVersion ?? "";
      const isNew = version === undefined || told.endsWith(`+tandem-${version}`);
      if (ready?.status === "True" && isNew) return true as const;
      state = isNew ? (ready?.message ?? "it has not told its state") : `it still tells ${told}`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      state = error.message;
    }
    return undefined;
  };
  await wait(`node ${name} is ready`, ask, {
    ...options,
    unit: "tandem-agent",
    state: () => state,
  });
}

async function wait<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  options: WaitOptions & { readonly unit: string; readonly state?: () => string },
): Promise<T> {
  const { limitMs, signal, unit, state } = options;
  try {
    return await until(ask, { clock: systemClock, what, limitMs, pauseMs: 200, signal });
  } catch (cause) {
    if (!(cause instanceof TooLongError)) throw cause;
    const known = state === undefined ? "" : `; at last: ${state()}`;
    throw new Error(`${cause.message}${known} ('journalctl -u ${unit}' has more)`, { cause });
  }
}
