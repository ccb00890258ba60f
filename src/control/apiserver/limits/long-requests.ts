// Limits of long-running requests: watches and streams last as long as their clients like, so each user may
// have only so many.
import { tooManyRequests } from "../errors.ts";
import type { RequestInfo } from "../request-info.ts";

export const usualLongRequests = 1000;

export class LongRequests {
  readonly #limit: number;
  readonly #byUser = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a request; throws when the user has too many. The function returned must be called at its end. */
  start(user: string, isExempt: boolean): () => void {
    const count = this.#byUser.get(user) ?? 0;
    if (count >= this.#limit && !isExempt) {
      const message = `Too many watches and streams, please try again later: the limit is ${this.#limit}`;
      throw tooManyRequests(message, 1);
    }
    this.#byUser.set(user, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const rest = (this.#byUser.get(user) ?? 1) - 1;
      if (rest === 0) this.#byUser.delete(user);
      else this.#byUser.set(user, rest);
    };
  }
}

const streams = new Set(["log", "exec", "attach", "portforward", "proxy"]);

/** Returns whether a request is long-running: watches and streams last as long as their clients like. */
export function isLong({ resource }: RequestInfo): boolean {
  if (resource === undefined) return false;
  return resource.verb === "watch" || streams.has(resource.subresource ?? "");
}
