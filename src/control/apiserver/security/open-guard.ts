// The guard from plain values, so that every thread of the server makes the same one.
import { type KeyPair, openAuthority } from "./authority.ts";
import { createGuard, type Guard, type GuardOptions } from "./guard.ts";
import type { ObjectReader } from "./objects.ts";

/** The options of a guard that can be handed to another thread. */
export interface GuardSettings extends Omit<GuardOptions, "objects" | "authority" | "now"> {
  readonly authority: KeyPair;
}

export async function openGuard(objects: ObjectReader, settings: GuardSettings): Promise<Guard> {
  const now = () => new Date();
  const authority = await openAuthority(settings.authority, { now });
  return await createGuard({ ...settings, authority, objects, now });
}
