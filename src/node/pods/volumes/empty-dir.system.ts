import { chmod, mkdir } from "node:fs/promises";
import { nanosOf } from "../../../api/fields/quantity.ts";
import type { EmptyDirVolumeSource } from "../../../api/types/core.ts";
import type { Commands } from "../../../base/host/command.ts";
import { giveToGroup } from "./group.system.ts";
import { mountMemory } from "./memory.system.ts";

export interface EmptyDirWish extends EmptyDirVolumeSource {
  readonly group: number | undefined;
}

/** Makes the directory of an emptyDir volume, in memory where its medium says so. */
export async function makeEmptyDir(
  path: string,
  { medium, sizeLimit, group, commands }: EmptyDirWish & { readonly commands: Commands },
): Promise<void> {
  if (medium === "Memory") {
    const bytes = sizeLimit === undefined ? undefined : Number(nanosOf(sizeLimit) / 1_000_000_000n);
    await mountMemory(commands, path, { mode: "0777", bytes: bytes || undefined });
  }
  await mkdir(path, { recursive: true });
  await giveToGroup(path, group);
  await chmod(path, group === undefined ? 0o777 : 0o2777);
}
