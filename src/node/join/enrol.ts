// Enrols this machine as a node: by the identity kept from the last time, or else by a token.
import { X509Certificate } from "node:crypto";
import type { Clock } from "../../base/host/clock.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import { fetchAuthority, publicKeyHash } from "./authority.ts";
import { certifyWithToken, type Wish } from "./certify.ts";
import { type Identity, type IdentityStore, isExpired } from "./identity.ts";

/**
 * The credentials of a machine that is not a node yet: the token, and the root by which it verifies the
 * server.
 */
export interface Invitation {
  readonly token: string;
  /** The pinned hash `sha256:…` of the root's key, or the root itself if it is known. */
  readonly pin: string | { readonly authority: string };
}

export interface EnrolOptions extends CallOptions {
  readonly wish: Wish;
  readonly store: IdentityStore;
  /** Returns the invitation; called only if there is no usable identity. */
  invitation(): Promise<Invitation>;
  /** The expected root, if the user named one: an identity of another cluster is of no use. */
  readonly pin?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export async function enrol(options: EnrolOptions): Promise<Identity> {
  const { wish, store, log } = options;
  const kept = await store.read();
  const flaw = kept === undefined ? "there is none" : flawOf(kept, options);
  if (kept !== undefined && flaw === undefined) {
    // The server may have moved since the identity was written.
    await store.write(kept, wish.server);
    return kept;
  }
  const { token, pin } = await options.invitation();
  const authority =
    typeof pin === "string" ? await fetchAuthority(wish.server, pin, options) : pin.authority;
  const identity = await certifyWithToken({ ...wish, authority, token }, options);
  await store.write(identity, wish.server);
  log.info("joined the cluster", { server: wish.server.origin, node: wish.nodeName });
  return identity;
}

function flawOf({ authority, client }: Identity, options: EnrolOptions): string | undefined {
  const { wish, pin, clock } = options;
  if (isExpired(client, clock.now())) return "it has expired";
  if (pin !== undefined && publicKeyHash(new X509Certificate(authority)) !== pin) {
    return "it is of another cluster";
  }
  const { subject } = new X509Certificate(client.certificate);
  const isOurs = subject.split("\n").includes(`CN=system:node:${wish.nodeName}`);
  return isOurs ? undefined : "it is of another node";
}
