// One request and its answer, after authentication.
import type { User } from "../access.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { RequestInfo, ResourceRequest } from "../request-info.ts";
import type { HttpRequest, HttpResponse, RequestHead } from "./message.ts";

/** A request as far as a plan depends on it: without its connection, its body and the way to answer it. */
export interface Asked {
  readonly request: RequestHead;
  readonly info: RequestInfo;
  readonly user: User;
  /** The warnings, which become `Warning:` headers. */
  readonly warnings: string[];
  /** The annotations for the audit log. */
  readonly annotations?: Record<string, string>;
}

/** A request about a resource, as far as a plan depends on it. */
export interface AskedResource extends Asked {
  readonly target: ResourceRequest;
}

export interface Exchange extends Asked {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly audit?: AuditTrail | undefined;
}

/** An exchange about a resource. */
export interface ResourceExchange extends Exchange {
  readonly target: ResourceRequest;
}
