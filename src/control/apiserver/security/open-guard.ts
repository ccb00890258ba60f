// Opens a guard from plain values, so that every thread of the server makes the same one.
import { type KeyPair, openAuthority } from "./authority.ts";
import { createGuard, type Guard, type GuardOptions } from "./guard.ts";
import type { ObjectReader } from "./objects.ts";

interface OpenOptions extends Omit<GuardOptions, "objects" | "authority" | "now"> {
  readonly authority: KeyPair;
}

/** The options of a guard in another thread, where nobody logs in. */
export type GuardSettings = Omit<OpenOptions, "logIn" | "verifiers" | "log" | "webhooks">;

export async function openGuard(objects: ObjectReader, settings: OpenOptions): Promise<Guard> {
  const now = () => new Date();
  const authority = await openAuthority(settings.authority, { now });
  return await createGuard({ ...settings, authority, objects, now });
}
