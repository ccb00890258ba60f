// What becomes of one request, as events of Kubernetes' audit log: who really asked, in whose name, from
// where, for what, and how it ended. What is refused is in it as well.

import { randomUUID } from "node:crypto";
import { microTimestamp } from "../../../api/fields/timestamp.ts";
import type { User } from "../access.ts";
import { attributesOf } from "../attributes.ts";
import type { HttpRequest } from "../http/message.ts";
import type { RequestInfo } from "../request-info.ts";
import { type Decision, decide, type Policy, type Stage } from "./policy.ts";

/** Takes whole lines, newline included. */
export type AuditSink = (line: string) => void;

export interface Auditor {
  readonly policy: Policy;
  readonly sink: AuditSink;
  readonly now: () => Date;
}

/** Larger objects would fill the log and take the server's time. */
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
  /** What admission has to say about the request. */
  readonly annotations: Record<string, string> = {};

  constructor(auditor: Auditor, request: HttpRequest, info: RequestInfo | undefined) {
    this.#auditor = auditor;
    this.#request = request;
    this.#info = info;
    this.#received = auditor.now();
    // Of a connection that has ended nobody knows any more where it came from.
    this.#sources = sourcesOf(request);
  }

  /** Who sent the request, and in whose name. */
  identified(user: User, assumed?: User): void {
    this.#user = user;
    this.#assumed = assumed;
  }

  /** Why the request was refused. */
  refused(reason: string): void {
    this.#reason = reason;
  }

  /** The body of the request, when it is JSON. */
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
    // Rules are about whoever really asks.
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

  /** JSON text that fits into a line; `undefined` when it is none or too much. */
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

/** Those who passed the request on say where it came from, as in Kubernetes; the last is the connection's. */
function sourcesOf({ headers, socket }: HttpRequest): string[] {
  const forwarded = String(headers["x-forwarded-for"] ?? "").split(",");
  const named = [...forwarded, String(headers["x-real-ip"] ?? ""), socket.remoteAddress ?? ""];
  const sources = named.map((each) => each.trim()).filter((each) => isAddress(each));
  return [...new Set(sources)];
}

function isAddress(text: string): boolean {
  return text.length < 64 && /^[0-9a-fA-F.:]+(?:%\w+)?$/.test(text);
}
