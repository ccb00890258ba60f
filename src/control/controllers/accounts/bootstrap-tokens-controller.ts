// Removes expired bootstrap tokens.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import { withFields } from "../../../api/client/field-selectors.ts";
import type { Secret } from "../../../api/types/core.ts";
import type { ControllerContext } from "../context.ts";

/** The longest wait: timers overflow beyond some weeks. */
const longestMs = 24 * 60 * 60 * 1000;

export function bootstrapTokensController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const secrets = client.resource("v1", "Secret");
  const informer = informers.of(secrets, {
    namespace: "kube-system",
    ...withFields({ type: "bootstrap.kubernetes.io/token" }),
  });

  const reconcile = async (key: string, signal: AbortSignal): Promise<Again | void> => {
    const secret = informer.get(key);
    const expires = secret && expiryOf(secret);
    if (secret === undefined || expires === undefined) return;
    const wait = expires - clock.now();
    if (wait > 0) return { againInMs: Math.min(wait, longestMs) };
    const { uid = "", resourceVersion = "" } = secret.metadata;
    try {
      await secrets.delete(secret.metadata, { preconditions: { uid, resourceVersion }, signal });
    } catch (error) {
      // The token's expiry may just have been extended.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  };

  return new Controller({ ...context, sources: [informer], reconcile });
}

/** Returns when the token expires; `undefined` if it does not say. */
function expiryOf({ data = {} }: Secret): number | undefined {
  const time = Date.parse(Buffer.from(data["expiration"] ?? "", "base64").toString());
  return Number.isNaN(time) ? undefined : time;
}
