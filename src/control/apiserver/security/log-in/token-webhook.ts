// Authenticates tokens by a webhook, with a TokenReview. Unknown tokens are cached for some seconds, so that
// a flood of wrong tokens does not reach the webhook.

import { createHash } from "node:crypto";
import { defined } from "../../../../base/json/defined.ts";
import type { Log } from "../../../../base/program/log.ts";
import type { User } from "../../access.ts";
import type { TokenVerifier } from "../bearer-token.ts";
import { askJson, type JsonRequest } from "./json-request.system.ts";

export interface WebhookOptions {
  /** Returns the URL of the webhook, and the credentials of this server. */
  readonly target: () => Promise<Omit<JsonRequest, "body">>;
  readonly audiences: readonly string[];
  readonly now: () => number;
  readonly log?: Log | undefined;
}

interface Review {
  readonly status?: {
    readonly authenticated?: boolean;
    readonly audiences?: readonly string[];
    readonly user?: {
      readonly username?: string;
      readonly uid?: string;
      readonly groups?: readonly string[];
      readonly extra?: Readonly<Record<string, readonly string[]>>;
    };
  };
}

const refusedMs = 10_000;
const mostRefused = 10_000;

export function tokenWebhook(options: WebhookOptions): TokenVerifier {
  const { target, audiences, now, log } = options;
  /** The hashes of refused tokens, and the time until they are asked for again. */
  const refused = new Map<string, number>();
  return {
    async verify(token) {
      const key = createHash("sha256").update(token).digest("base64");
      if ((refused.get(key) ?? 0) > now()) return undefined;
      const review = {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token, audiences },
      };
      try {
        const answer = (await askJson({ ...(await target()), body: review })) as Review;
        const user = userOf(answer, audiences);
        if (user === undefined) {
          if (refused.size >= mostRefused) refused.clear();
          refused.set(key, now() + refusedMs);
        }
        return user;
      } catch (error) {
        log?.warn("Cannot ask the token webhook", { error });
        return undefined;
      }
    },
  };
}

function userOf({ status }: Review, audiences: readonly string[]): User | undefined {
  const { authenticated, user, audiences: accepted } = status ?? {};
  if (authenticated !== true || !user?.username) return undefined;
  // A webhook that reports audiences must have accepted one of ours.
  if (accepted !== undefined && !accepted.some((one) => audiences.includes(one))) return undefined;
  return {
    name: user.username,
    groups: user.groups ?? [],
    ...(user.uid ? { uid: user.uid } : {}),
    ...defined({ extra: user.extra }),
  };
}
