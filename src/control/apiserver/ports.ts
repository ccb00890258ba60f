// What the server asks of other parts.
import type { Duplex } from "node:stream";
import type { ApiObject } from "../../api/kinds/kind.ts";
import type { Admission, Authenticator, Authorizer, Completion, User } from "./access.ts";
import type { HttpRequest, HttpResponse } from "./http/message.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { ResourceRequest } from "./request-info.ts";

/** Who may do what. Without an authenticator nobody gets beyond health and version. */
export interface Access {
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  readonly completions?: readonly Completion[];
  readonly admission?: readonly Admission[];
  readonly serviceAccounts?: ServiceAccountTokenIssuer;
  /** By resource: who answers the questions that are asked by creating an object. */
  readonly reviewers?: Readonly<Record<string, Reviewer>>;
  /** Who has no credentials may still do what everybody may; absent: nothing. */
  readonly anonymous?: { readonly enabled: boolean; readonly paths: readonly string[] };
  /** What is answered beside the API, to GET. */
  readonly documents?: Readonly<Record<string, { readonly body: object; readonly type: string }>>;
  /** What is answered beside the API, to POST. */
  readonly paths?: Readonly<Record<string, PathHandler>>;
}

export type PathHandler = (body: object, user: User) => Promise<object>;

/** Access depends on objects of the server itself. */
export type OpenAccess = (objects: ObjectReader) => Access | Promise<Access>;

/** Returns the object given with its status. */
export type Reviewer = (object: object, user: User, namespace: string) => Promise<object>;

export interface ServiceAccountTokenIssuer {
  issue(
    identity: {
      readonly namespace: string;
      readonly name: string;
      readonly uid: string;
      readonly pod?: { readonly name: string; readonly uid: string };
      readonly secret?: { readonly name: string; readonly uid: string };
      readonly node?: { readonly name: string; readonly uid: string };
    },
    request: { readonly audiences: readonly string[]; readonly lifetimeSeconds: number },
  ): Promise<{ token: string; expires: Date }>;
}

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
