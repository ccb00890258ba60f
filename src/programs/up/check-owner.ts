import type { Commands } from "../../base/host/command.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type ControlPlaneSettings, isHighlyAvailable } from "./virtual-addresses.ts";

/**
 * Throws if an ordinary user wants several control planes: keepalived runs no check script that users other
 * than root can change.
 */
export async function checkOwner(
  settings: ControlPlaneSettings,
  { isRoot, commands }: { readonly isRoot: boolean; readonly commands: Commands },
): Promise<void> {
  if (!isHighlyAvailable(settings)) return;
  // Root of a user namespace does not own the machine's files.
  const { stdout } = isRoot ? await commands.run(["stat", "--format=%u", "/"]) : { stdout: "" };
  if (stdout.trim() === "0") return;
  throw new UsageError(`Cannot use controlPlanes=${settings.controlPlanes}: several are for root`);
}
