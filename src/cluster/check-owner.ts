import type { Commands } from "../host/command.ts";
import { type ControlPlaneSettings, isHighlyAvailable } from "./virtual-addresses.ts";

/** Throws for several control planes of a user: keepalived runs no check that others than root can change. */
export async function checkOwner(
  settings: ControlPlaneSettings,
  commands: Commands,
): Promise<void> {
  if (!isHighlyAvailable(settings)) return;
  const { stdout } = await commands.run(["stat", "--format=%u", "/"]);
  if (stdout.trim() === "0") return;
  throw new Error(`Cannot use controlPlanes=${settings.controlPlanes}: several are for root`);
}
