import type { Commands } from "../../../base/host/command.ts";
import { isNotInstalled, isNotSupported } from "../../../base/host/error.ts";
import { families } from "../../../base/net/family.ts";
import { ways } from "../modes.ts";
import type { KernelPlace, ReadPlaces } from "./kernel-place.ts";

export interface ShownPlace extends KernelPlace {
  /** The proxy mode that wrote the frontend. */
  readonly mode: string;
}

/** Returns the frontends of a service (`namespace/name`) in the kernel, of every proxy mode. */
export async function showService(
  service: string,
  commands: Commands,
): Promise<readonly ShownPlace[]> {
  const shown: ShownPlace[] = [];
  for (const { mode, variant, read, isUsed } of ways) {
    const name = variant === undefined ? mode : `${mode}-${variant}`;
    for (const family of families) {
      if (isUsed !== undefined && !(await isUsed(commands, family))) continue;
      const places = await readIfAny(read(commands, family), service);
      shown.push(...places.map((place) => ({ mode: name, ...place })));
    }
  }
  return shown.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** Returns the sort key of a frontend; node ports come last. */
function orderOf({ mode, family, address = "~", protocol, port }: ShownPlace): string {
  return [mode, family, address, port, protocol].join(" ");
}

/**
 * Reads the frontends of one mode; a mode whose tools are not installed or not supported has written
 * none.
 */
async function readIfAny(read: ReadPlaces, service: string): Promise<readonly KernelPlace[]> {
  try {
    return await read(service);
  } catch (error) {
    if (isNotInstalled(error) || isNotSupported(error)) return [];
    throw error;
  }
}
