import type { CallOptions } from "../../base/host/command.ts";
import type { Sysctl } from "../../base/host/sysctl.ts";
import type { FamilySettings } from "./plan/frontend.ts";

/** Lets what is sent to 127.0.0.1 leave the loopback device, once it was translated. */
export const routeLoopbackSetting = "net/ipv4/conf/all/route_localnet";

/** There is nothing like it for ::1. Rules see to it that nothing from outside is let in by this. */
export async function routeLoopback(
  settings: readonly FamilySettings[],
  sysctl: Sysctl,
  options: CallOptions = {},
): Promise<void> {
  const isWanted = settings.some(
    ({ family, servesLoopback }) => family === "IPv4" && servesLoopback,
  );
  if (isWanted) await sysctl.write({ [routeLoopbackSetting]: 1 }, options);
}
