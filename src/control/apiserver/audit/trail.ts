// The audit trail of one request, as Kubernetes audit events: the user, the impersonated user, the source,
// the target and the outcome. Refused requests are in it as well.
import { randomUUID } from "node:crypto";
import { microTimestamp } from "../../../api/fields/timestamp.ts";
import type { User } from "../access.ts";
import { attributesOf } from "../attributes.ts";
import type { HttpRequest } from "../http/message.ts";
import type { RequestInfo } from "../request-info.ts";
import { type Decision, decide, type Policy, type Stage } from "./policy.ts";

/** The receiver of audit events: whole lines, newline included. */
export type AuditSink = (line: string) => void;

export interface Auditor {
  readonly policy: Policy;
  readonly sink: AuditSink;
  readonly now: () => Date;
}

/** The largest object in an event; larger ones would fill the log and take the server's time. */
const largestObject = 64 * 1024;

export class AuditTrail {
  readonly #auditor: Auditor;
  readonly #request: HttpRequest;
  readonly #info: RequestInfo | undefined;
  readonly #id = randomUUID();
  readonly #received: Date;
  readonly #sources: readonly string[];
  #user: User | undefined;
  #assumed: User | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #reason: string | undefined;
  readonly #told = new Set<Stage>();
  /** The audit annotations that admission adds. */
  readonly annotations: Record<string, string> = {};

  constructor(auditor: Auditor, request: HttpRequest, info: RequestInfo | undefined) {
    this.#auditor = auditor;
    this.#request = request;
    this.#info = info;
    this.#received = auditor.now();
    // Source addresses are read now, since a closed connection has none.
    this.#sources = sourcesOf(request);
  }

  /** Records who sent the request, and as whom. */
  identified(user: User, assumed?: User): void {
    this.#user = user;
    this.#assumed = assumed;
  }

  /** Records why the request was refused. */
  refused(reason: string): void {
    this.#reason = reason;
  }

  /** Records the body of the request, when it is JSON. */
  requested(body: Buffer): void {
    const { level } = this.#decision();
    if (level !== "Request" && level !== "RequestResponse") return;
    this.#requestObject = this.#object(body);
  }

  responded(json: Buffer): void {
    if (this.#decision().level === "RequestResponse") this.#responseObject = this.#object(json);
  }

  tell(stage: Stage, code?: number): void {
    const decision = this.#decision();
    if (decision.level === "None" || decision.omitStages.includes(stage)) return;
    if (this.#told.has(stage)) return;
    this.#told.add(stage);
    this.#auditor.sink(this.#line(stage, decision, code));
  }

  #decision(): Decision {
    const { policy } = this.#auditor;
    if (this.#info === undefined) return { ...policy, level: "Metadata" };
    // Rules match the real user, not the impersonated one.
    return decide(policy, this.#user, attributesOf(this.#info));
  }

  #line(stage: Stage, { level }: Decision, code: number | undefined): string {
    const request = this.#request;
    const about = this.#info && attributesOf(this.#info);
    const event = {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level,
      auditID: this.#id,
      stage,
      requestURI: request.url,
      verb: about?.verb ?? (request.method ?? "").toLowerCase(),
      user: this.#user === undefined ? {} : shown(this.#user),
      ...(this.#assumed === undefined ? {} : { impersonatedUser: shown(this.#assumed) }),
      sourceIPs: this.#sources,
      userAgent: request.headers["user-agent"],
      ...(about === undefined || about.resource === ""
        ? {}
        : {
            objectRef: {
              resource: about.resource,
              namespace: about.namespace,
              name: about.name,
              apiGroup: about.group === "" ? undefined : about.group,
              apiVersion: about.version,
              subresource: about.subresource,
            },
          }),
      ...(code === undefined
        ? {}
        : {
            responseStatus: {
              metadata: {},
              ...(this.#reason === undefined ? {} : { status: "Failure", message: this.#reason }),
              code,
            },
          }),
      ...(Object.keys(this.annotations).length === 0 ? {} : { annotations: this.annotations }),
      requestReceivedTimestamp: microTimestamp(this.#received),
      stageTimestamp: microTimestamp(this.#auditor.now()),
    };
    const objects = [
      ...(this.#requestObject === undefined ? [] : [`"requestObject":${this.#requestObject}`]),
      ...(this.#responseObject === undefined || stage === "RequestReceived"
        ? []
        : [`"responseObject":${this.#responseObject}`]),
    ];
    const text = JSON.stringify(event);
    return objects.length === 0 ? `${text}\n` : `${text.slice(0, -1)},${objects.join(",")}}\n`;
  }

  /** Returns JSON text that fits into a line; `undefined` when it is not JSON or too large. */
  #object(bytes: Buffer): string | undefined {
    if (bytes.length > largestObject) return undefined;
    try {
      const value = JSON.parse(bytes.toString()) as { metadata?: { managedFields?: unknown } };
      if (this.#decision().omitManagedFields) delete value?.metadata?.managedFields;
      return JSON.stringify(value);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function shown({ name, uid, groups, extra }: User) {
  return { username: name, uid, groups, extra };
}

/** Returns the source addresses: those from proxies' headers, as in Kubernetes, then the connection's. */
function sourcesOf({ headers, socket }: HttpRequest): string[] {
  const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
  const named = [...forwarded, String(headers["x-real-ip"] ?? ""), socket.remoteAddress ?? ""];
  const sources = named.map((each) => each.trim()).filter((each) => isAddress(each));
  return [...new Set(sources)];
}

function isAddress(text: string): boolean {
  return text.length < 64 && /^[0-9a-fA-F.:]+(?:%\w+)?$/.test(text);
}
