// One request and its answer, after authentication.
import type { User } from "../access.ts";
import type { AuditTrail } from "../audit/trail.ts";
import type { RequestInfo, ResourceRequest } from "../request-info.ts";
import type { HttpRequest, HttpResponse } from "./message.ts";

export interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly info: RequestInfo;
  readonly user: User;
  readonly audit?: AuditTrail | undefined;
  /** The warnings, which become `Warning:` headers. */
  readonly warnings: string[];
  /** The annotations for the audit log. */
  readonly annotations?: Record<string, string>;
}

/** An exchange about a resource. */
export interface ResourceExchange extends Exchange {
  readonly target: ResourceRequest;
}
