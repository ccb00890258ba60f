// The service account tokens of pods, renewed before they expire.

import type { Client } from "../../../api/client/client.ts";
import { requestToken } from "../../../api/client/subresources.ts";
import type { Pod, ServiceAccountTokenProjection } from "../../../api/types/core.ts";
import type { Clock } from "../../../base/host/clock.ts";

const defaultSeconds = 3600;
/** The fraction of its lifetime after which a token is renewed. */
const renewAfter = 0.8;

interface Held {
  readonly token: string;
  readonly renewAt: number;
}

/** The service account tokens of one pod. */
export class PodTokens {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** The time at which the first token must be renewed. */
  get renewAt(): number | undefined {
    const times = [...this.#held.values()].map(({ renewAt }) => renewAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async get(pod: Pod, projection: ServiceAccountTokenProjection): Promise<string> {
    const { audience = "", expirationSeconds = defaultSeconds } = projection;
    const key = JSON.stringify([audience, expirationSeconds]);
    const held = this.#held.get(key);
    const now = this.#clock.now();
    if (held !== undefined && now < held.renewAt) return held.token;
    const { namespace, name, uid } = pod.metadata;
    const accounts = this.#client.resource("v1", "ServiceAccount");
    const account = { namespace, name: pod.spec.serviceAccountName ?? "default" };
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, ...(uid && { uid }) };
    const { token, expires } = await requestToken(accounts, account, {
      spec: { audiences: audience === "" ? [] : [audience], expirationSeconds, boundObjectRef },
    });
    const renewAt = now + renewAfter * (expires.getTime() - now);
    this.#held.set(key, { token, renewAt });
    return token;
  }
}
