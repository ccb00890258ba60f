// Removes everything that a proxy has put into the kernel, whatever mode it ran in.

import type { CallOptions, Commands } from "../../base/host/command.ts";
import { isNotFound, isNotInstalled, isNotSupported } from "../../base/host/error.ts";
import { systemSysctl } from "../../base/host/sysctl.system.ts";
import { families } from "../../base/net/family.ts";
import { messageOf } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import { usesLegacyTables } from "./legacy-tables.ts";
import { iptablesVariants, type OpenProxier, proxierOpener, proxyModes } from "./modes.ts";
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
    for (const { open, ...mode } of everyMode(commands, over.signal)) {
      for (const family of families) {
        const isLegacy = mode.iptablesVariant === "legacy";
        if (isLegacy && !(await usesLegacyTables(commands, family))) continue;
        try {
          await open({ ...noServices, family }).remove({ signal });
        } catch (error) {
          signal?.throwIfAborted();
          if (isUnknown(error)) log.debug("Nothing to clean up", { ...mode, family, error });
          else failures.push(error);
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

function* everyMode(commands: Commands, signal: AbortSignal): Generator<Mode> {
  for (const mode of proxyModes) {
    const variants = mode === "iptables" ? iptablesVariants : iptablesVariants.slice(0, 1);
    for (const iptablesVariant of variants) {
      yield {
        mode,
        iptablesVariant,
        open: proxierOpener(mode, { commands, iptablesVariant, signal }),
      };
    }
  }
}

interface Mode {
  readonly mode: string;
  readonly iptablesVariant: string;
  readonly open: OpenProxier;
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
