// Removes everything that a proxy has put into the kernel, whatever mode it ran in.

import type { CallOptions, Commands } from "../../base/host/command.ts";
import { isNotFound, isNotInstalled, isNotSupported } from "../../base/host/error.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import { families } from "../../base/net/family.ts";
import { messageOf } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import { ways } from "./modes.ts";
import { routeLoopbackSetting } from "./route-loopback.ts";

interface Parts {
  readonly commands: Commands;
  readonly log: Log;
}

/**
 * Removes the rules of every mode and family; all are tried before it throws. A mode that this machine
 * does not support has left nothing behind.
 */
export async function cleanUp(parts: Parts, { signal }: CallOptions = {}): Promise<void> {
  const { commands, log } = parts;
  const over = new AbortController();
  const failures: unknown[] = [];
  try {
    for (const { mode, variant, open, isUsed } of ways) {
      const proxier = open({ commands, signal: over.signal });
      for (const family of families) {
        if (isUsed !== undefined && !(await isUsed(commands, family))) continue;
        try {
          await proxier({ ...noServices, family }).remove({ signal });
        } catch (error) {
          signal?.throwIfAborted();
          if (isUnknown(error)) {
            log.debug("Nothing to clean up", { mode, variant, family, error });
          } else failures.push(error);
        }
      }
    }
  } finally {
    over.abort();
  }
  if (failures.length > 0) {
    throw new AggregateError(failures, `Cannot clean up: ${failures.map(messageOf).join("; ")}`);
  }
  const [isLoopbackRouted] = await systemSysctl(commands).read([routeLoopbackSetting], { signal });
  if (isLoopbackRouted === "1") {
    log.warn("Loopback addresses are still routed; reset it unless others need it", {
      setting: routeLoopbackSetting,
    });
  }
}

const noServices = {
  podPrefix: undefined,
  nodePortPrefixes: [],
  servesLoopback: false,
  masqueradeAll: false,
};

function isUnknown(error: unknown): boolean {
  return isNotInstalled(error) || isNotSupported(error) || isNotFound(error);
}
