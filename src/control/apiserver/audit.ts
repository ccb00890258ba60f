// A line per request: who asked for what, when, and how it ended. What requests and answers hold is
// left out, since secrets are among it.
import { randomUUID } from "node:crypto";
import type { User } from "./access.ts";
import { attributesOf } from "./attributes.ts";
import type { HttpRequest } from "./http/message.ts";
import type { RequestInfo } from "./request-info.ts";

/** Takes whole lines, newline included. */
export type AuditSink = (line: string) => void;

export interface Audited {
  readonly request: HttpRequest;
  /** Where it came from, as long as its connection stood. */
  readonly source: string | undefined;
  readonly info: RequestInfo;
  readonly user: User;
  readonly code: number;
  readonly received: Date;
  readonly finished: Date;
  /** What was found on the way, such as violations of Pod Security. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The event as Kubernetes writes it, at the level of metadata. */
export function auditLine(audited: Audited): string {
  const { request, source, info, user, code, received, finished, annotations = {} } = audited;
  const { verb, group, version, resource, subresource, namespace, name } = attributesOf(info);
  return `${JSON.stringify({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: randomUUID(),
    stage: "ResponseComplete",
    requestURI: request.url,
    verb,
    user: { username: user.name, uid: user.uid, groups: user.groups, extra: user.extra },
    sourceIPs: source === undefined ? [] : [source],
    userAgent: request.headers["user-agent"],
    ...(resource === ""
      ? {}
      : {
          objectRef: {
            resource,
            namespace,
            name,
            apiGroup: group,
            apiVersion: version,
            subresource,
          },
        }),
    responseStatus: { metadata: {}, code },
    requestReceivedTimestamp: received.toISOString(),
    stageTimestamp: finished.toISOString(),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  })}\n`;
}
