// The guard from plain values, so that every thread of the server makes the same one.
import { type KeyPair, openAuthority } from "./authority.ts";
import { createGuard, type Guard } from "./guard.ts";
import type { ServerIdentity } from "./node-names.ts";
import type { ObjectReader } from "./objects.ts";

/** Everything here can be handed to another thread. */
export interface GuardSettings {
  readonly serviceAccountKey: string;
  readonly authority: KeyPair;
  readonly issuer: string;
  /** The names of the server, which no node may have. */
  readonly server: ServerIdentity;
  /** The text of a file of fixed tokens. */
  readonly tokens?: string;
}

export async function openGuard(objects: ObjectReader, settings: GuardSettings): Promise<Guard> {
  const now = () => new Date();
  const authority = await openAuthority(settings.authority, { now });
  return await createGuard({ ...settings, authority, objects, now });
}
