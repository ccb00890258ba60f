// One request and its answer, once it is known who asks.
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
  /** Become `Warning:` headers. */
  readonly warnings: string[];
  /** Go to the audit log. */
  readonly annotations?: Record<string, string>;
}

/** An exchange about a resource. */
export interface ResourceExchange extends Exchange {
  readonly target: ResourceRequest;
}
