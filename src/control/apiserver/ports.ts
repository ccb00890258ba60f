// Interfaces that other parts implement for the server: access and streaming.
import type { Duplex } from "node:stream";
import type { ApiObject } from "../../api/kinds/kind.ts";
import type { Admission, Authenticator, Authorizer, Completion, User } from "./access.ts";
import type { DynamicAdmission } from "./admission/dynamic.ts";
import type { WebhookPort } from "./admission/webhooks/webhooks.ts";
import type { HttpRequest, HttpResponse } from "./http/message.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { ResourceRequest } from "./request-info.ts";
import type { Reach } from "./streaming/reach.ts";

/** Access control. Without an authenticator nobody gets beyond health and version. */
export interface Access {
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  readonly completions?: readonly Completion[];
  readonly admission?: readonly Admission[];
  /** The policies and the webhooks, in this order. */
  readonly dynamic?: readonly DynamicAdmission[];
  readonly serviceAccounts?: ServiceAccountTokenIssuer;
  /** The reviewers, by resource: they answer objects that are created as questions. */
  readonly reviewers?: Readonly<Record<string, Reviewer>>;
  /** The settings of anonymous access; absent: none. */
  readonly anonymous?: { readonly enabled: boolean; readonly paths: readonly string[] };
  /** The documents served to GET outside of the API, by path. */
  readonly documents?: Readonly<Record<string, { readonly body: object; readonly type: string }>>;
  /** The handlers of POST outside of the API, by path. */
  readonly paths?: Readonly<Record<string, PathHandler>>;
}

export type PathHandler = (body: object, user: User) => Promise<object>;

/** Opens access control, which reads objects of the server itself. */
export type OpenAccess = (objects: ObjectReader, webhooks: WebhookPort) => Access | Promise<Access>;

/** Answers a review: returns the object given, with its status. */
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

/** A request that a pod, node or service answers itself. */
export interface StreamRequest {
  readonly request: HttpRequest;
  /** The target; its subresource is log, exec, attach, portforward or proxy. */
  readonly target: ResourceRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  /** The pod, node or service. */
  readonly object: ApiObject;
}

/** Connects clients with nodes. Errors it throws become a Status, as long as nothing was sent. */
export interface Streaming {
  /** The way to pods and services, for webhooks and aggregated APIs. */
  readonly reach?: Reach;
  answer(request: StreamRequest, response: HttpResponse): Promise<void>;
  /** Connects a WebSocket or SPDY client. Resolves when the connection has been taken over. */
  upgrade(request: StreamRequest, connection: { socket: Duplex; head: Buffer }): Promise<void>;
}
