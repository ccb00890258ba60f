// Does what a plan says: writes files, then starts units.

import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { type InstallPlan, machinePlaces } from "../../install/machine/machine.ts";
import { rememberSettings } from "./kernel-settings.ts";

/** Configuration may name tokens and keys one day; only root reads it. */
const mode = 0o600;

export async function writePlannedFiles(plan: InstallPlan, commands: Commands): Promise<void> {
  await systemFiles.makePrivateDirectory(machinePlaces.configuration);
  await rememberSettings(commands);
  for (const { path, content, change } of plan.files) {
    if (change !== "keep") await systemFiles.write(path, content, { mode });
  }
}

/** Starts or restarts the units of these services, as far as the plan wants it. */
export async function startUnits(
  plan: InstallPlan,
  names: readonly string[],
  commands: Commands,
): Promise<void> {
  for (const { unit, action } of plan.units) {
    if (action === "keep" || !names.some((name) => unit === `tandem-${name}.service`)) continue;
    await commands.run(["systemctl", "enable", "--quiet", unit]);
    await commands.run(["systemctl", action, unit]);
  }
}

export function isUnchanged({ files, units }: InstallPlan): boolean {
  return [...files.map(({ change }) => change), ...units.map(({ action }) => action)].every(
    (each) => each === "keep",
  );
}
