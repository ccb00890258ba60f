// The two doors of the dashboard: a link that tandem printed, or a bearer token of the cluster.

import { isForbidden, isUnauthorized } from "../../../api/client/errors.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { LogIn } from "./ports.ts";
import { digest, type Sessions } from "./sessions.ts";
import type { Workspace } from "./workspace.ts";

/** What the page tells about the cluster and about what can be done here. */
export interface About {
  readonly server: string;
  /** The only namespace that is read, if not all are. */
  readonly namespace: string | undefined;
  readonly logIn: "link" | "token";
  readonly allows: readonly ("check" | "trace")[];
}

export type Outcome =
  | { readonly token: string }
  | { readonly status: number; readonly message: string };

export interface Door {
  /** What to tell somebody without a token of ours. */
  readonly hint: string;
  open(secret: string, sessions: Sessions<Workspace>): Promise<Outcome>;
}

/** Lets in whoever has a code that was not used yet. */
export const linkDoor: Door = {
  hint: "use the link that tandem printed",
  async open(code, sessions) {
    const token = /^[\w-]{20,100}$/.test(code) ? sessions.exchange(code) : undefined;
    if (token !== undefined) return { token };
    return {
      status: 403,
      message: "Cannot log in: the link was used already, or is too old",
    };
  },
};

export interface TokenDoorParts {
  readonly logIn: LogIn;
  /** Opens a workspace, which runs from then on. */
  readonly openWorkspace: (user: ReturnType<LogIn>) => Workspace;
  readonly signal: AbortSignal;
}

/** Lets in whoever has a token that the API server knows, with that token's rights. */
export function tokenDoor({ logIn, openWorkspace, signal }: TokenDoorParts): Door {
  /** The workspaces by digest of their bearer token: pages of one user share watches. */
  const opened = new Map<string, Workspace>();
  return {
    hint: "log in with a token of the cluster",
    async open(secret, sessions) {
      const bearer = secret.trim();
      // What a header can carry, and what tokens consist of.
      if (!/^[\w.~+/=-]{8,16000}$/.test(bearer)) {
        return { status: 403, message: "Cannot log in: this is no bearer token" };
      }
      const user = logIn(bearer);
      try {
        await user.client.transport.send(selfReview(signal));
      } catch (error) {
        user.client.transport.close();
        if (isUnauthorized(error) || isForbidden(error)) {
          return { status: 403, message: "Cannot log in: the API server does not know this token" };
        }
        return { status: 502, message: messageOf(error) };
      }
      const key = digest(bearer);
      for (const [other, workspace] of opened) {
        if (!sessions.users.has(workspace)) {
          workspace.close();
          opened.delete(other);
        }
      }
      const known = opened.get(key);
      if (known !== undefined && !known.signal.aborted) {
        user.client.transport.close();
        return { token: sessions.open(known) };
      }
      const workspace = openWorkspace(user);
      opened.set(key, workspace);
      return { token: sessions.open(workspace) };
    },
  };
}

/** Asks the API server who the token is of. */
function selfReview(signal: AbortSignal) {
  return {
    method: "POST" as const,
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
    signal,
    timeoutMs: 10_000,
  };
}
