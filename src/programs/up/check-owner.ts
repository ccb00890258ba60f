import type { Commands } from "../../base/host/command.ts";
import { UsageError } from "../../base/program/errors.ts";
import { type ControlPlaneSettings, isHighlyAvailable } from "./virtual-addresses.ts";

/** Throws for several control planes of a user: keepalived runs no check that others than root can change. */
export async function checkOwner(
  settings: ControlPlaneSettings,
  { isRoot, commands }: { readonly isRoot: boolean; readonly commands: Commands },
): Promise<void> {
  if (!isHighlyAvailable(settings)) return;
  // Root of a user namespace is not whom the machine's files belong to.
  const { stdout } = isRoot ? await commands.run(["stat", "--format=%u", "/"]) : { stdout: "" };
  if (stdout.trim() === "0") return;
  throw new UsageError(`Cannot use controlPlanes=${settings.controlPlanes}: several are for root`);
}
