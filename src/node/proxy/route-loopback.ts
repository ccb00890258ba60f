import type { CallOptions } from "../../base/host/command.ts";
import type { Sysctl } from "../../base/host/sysctl.ts";
import type { FamilySettings } from "./plan/frontend.ts";

/** The sysctl that lets packets to 127.0.0.1 leave the loopback device once they were translated. */
export const routeLoopbackSetting = "net/ipv4/conf/all/route_localnet";

/**
 * Routes loopback addresses if node ports are served there. IPv6 has no such setting for ::1. Rules of
 * the proxy drop packets to loopback addresses that come from outside.
 */
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
