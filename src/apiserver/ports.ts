// What the server hands to other parts, as it asks for it.
import type { Duplex } from "node:stream";
import type { ApiObject } from "../api/kinds/kind.ts";
import type { User } from "./access.ts";
import type { HttpRequest, HttpResponse } from "./http/message.ts";
import type { ResourceRequest } from "./request-info.ts";

export interface ServiceAccountTokenIssuer {
  issue(
    identity: {
      readonly namespace: string;
      readonly name: string;
      readonly uid: string;
      readonly pod?: { readonly name: string; readonly uid: string };
      readonly node?: { readonly name: string; readonly uid: string };
    },
    request: { readonly audiences: readonly string[]; readonly lifetimeSeconds: number },
  ): Promise<{ token: string; expires: Date }>;
}

export interface TokenReviewer {
  /** `undefined` when the token is not valid for any of these audiences (none: the server's own). */
  review(token: string, audiences: readonly string[]): Promise<User | undefined>;
}

export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Lists what a user may do in a namespace. */
export type RulesFor = (user: User, namespace: string) => readonly AccessRule[];

/** A request for what a pod, node or service itself has to say. */
export interface StreamRequest {
  readonly request: HttpRequest;
  /** `subresource` is log, exec, attach, portforward or proxy. */
  readonly target: ResourceRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  /** The pod, node or service. */
  readonly object: ApiObject;
}

/** Connects clients with nodes. What it throws becomes a Status, as long as nothing was sent. */
export interface Streaming {
  answer(request: StreamRequest, response: HttpResponse): Promise<void>;
  /** WebSockets and SPDY. Resolves when the connection has been taken over. */
  upgrade(request: StreamRequest, connection: { socket: Duplex; head: Buffer }): Promise<void>;
}
