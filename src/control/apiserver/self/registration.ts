// Keeps this server among the endpoints of the `kubernetes` service while it runs.
import { randomUUID } from "node:crypto";
import { systemClock } from "../../../base/host/clock.system.ts";
import { pause } from "../../../base/host/clock.ts";
import type { Core } from "../core.ts";
import { ensureService, writeEndpoints } from "./kubernetes-service.ts";
import { type Announcement, announce, liveServers, withdraw } from "./registry.ts";

const interval = 5000;

export async function runRegistration(
  core: Core,
  announcement: Announcement,
  signal: AbortSignal,
): Promise<void> {
  const { store, log } = core;
  const id = randomUUID();
  const renew = async () => {
    await announce(store, id, announcement);
    await ensureService(core, announcement.port);
    await writeEndpoints(core, await liveServers(store));
  };
  while (!signal.aborted) {
    try {
      await renew();
    } catch (error) {
      if (!signal.aborted) log.warn("Cannot announce this server; trying again", { error });
    }
    await pause(systemClock, interval, signal);
  }
  // The endpoints are left to other servers, since this one's cache does not follow any more.
  try {
    await withdraw(store, id);
  } catch (error) {
    log.warn("Cannot withdraw this server; it counts as gone in a few seconds", { error });
  }
}
