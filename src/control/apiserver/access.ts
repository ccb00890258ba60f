// Who asks, and whether they may. The server asks these two questions of every request.
import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What of a request tells who sent it. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly socket: TLSSocket | Socket;
}

export interface Authenticator {
  /**
   * `undefined` when the request carries no credentials this one understands. Throws when it
   * carries some that are wrong: the request is refused without asking another.
   */
  authenticate(credentials: Credentials): User | undefined | Promise<User | undefined>;
}

export interface Attributes {
  /** get, list, watch, create, update, patch, delete, deletecollection; for paths the HTTP method. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Empty for requests that are not about a resource. */
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The path, for requests that are not about a resource. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason?: string };

export interface Authorizer {
  authorize(user: User, attributes: Attributes): Decision | Promise<Decision>;
}

/** Gives new objects what they need beyond what the request says, before they are checked. */
export interface Completion {
  /** Throws a Status error when they cannot have it. */
  complete(attributes: Attributes, object: object, user: User): Promise<void>;
}

/** What is said of a change that is made. */
export interface Remarks {
  /** For the client. */
  readonly warnings?: readonly string[];
  /** For the audit log. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What may be written can depend on the objects, not only on the attributes. */
export interface Admission {
  /** Throws a Status error when the user may not make this change. */
  admit(
    user: User,
    attributes: Attributes,
    change: { old?: object; new?: object },
  ): Remarks | undefined | void;
}
