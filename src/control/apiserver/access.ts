// Interfaces of authentication, authorization and admission, which every request passes.
import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The parts of a request that can carry credentials. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly socket: TLSSocket | Socket;
  /** The stream of an HTTP/2 request, whose socket is a proxy of its own; the session is the connection's. */
  readonly stream?: { readonly session?: object | undefined } | undefined;
}

export interface Authenticator {
  /**
   * Returns the user; `undefined` when the request carries no credentials this authenticator understands.
   * Throws when they are wrong: the request is then refused without asking another authenticator.
   */
  authenticate(credentials: Credentials): User | undefined | Promise<User | undefined>;
}

export interface Attributes {
  /** The verb: get, list, watch, create, update, patch, delete, deletecollection; or the HTTP method. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** The plural of the resource; empty for requests that are not about one. */
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

/** Completes new objects with fields that depend on other objects, before they are validated. */
export interface Completion {
  /** Completes the object in place. Throws a Status error when that is not possible. */
  complete(attributes: Attributes, object: object, user: User): Promise<void>;
}

/** The remarks of admission on a change that is allowed. */
export interface Remarks {
  /** Warnings for the client. */
  readonly warnings?: readonly string[];
  /** Annotations for the audit log. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Admission decides by the objects of a change, not only by its attributes. */
export interface Admission {
  /** Throws a Status error when the user may not make this change. */
  admit(
    user: User,
    attributes: Attributes,
    change: { old?: object; new?: object },
  ): Remarks | undefined | void;
}
