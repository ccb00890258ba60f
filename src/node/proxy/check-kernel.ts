import type { CallOptions } from "../../base/host/command.ts";
import { HostError } from "../../base/host/error.ts";
import type { OpenProxier, ProxyMode } from "./modes.ts";
import type { FamilySettings } from "./plan/frontend.ts";

/** Throws where this machine cannot keep the rules of a family in the given mode. Changes nothing. */
export async function checkKernel(
  mode: ProxyMode,
  { open, settings }: { readonly open: OpenProxier; readonly settings: readonly FamilySettings[] },
  options?: CallOptions,
): Promise<void> {
  for (const each of settings) {
    try {
      await open(each).check(options);
    } catch (cause) {
      if (!(cause instanceof HostError)) throw cause;
      const message = `Cannot keep ${each.family} services by ${mode}: ${cause.message}`;
      throw new HostError(message, { reason: cause.reason, cause });
    }
  }
}
