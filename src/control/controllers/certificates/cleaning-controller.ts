// Removes old certificate requests: decided ones after an hour, others after a day.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import type { CertificateSigningRequest } from "../../../api/types/certificates.ts";
import type { ControllerContext } from "../context.ts";

const hourMs = 60 * 60 * 1000;
const decidedMs = hourMs;
const waitingMs = 24 * hourMs;

export function cleaningController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const requests = client.resource("certificates.k8s.io/v1", "CertificateSigningRequest");
  const informer = informers.of(requests);

  const reconcile = async (name: string, signal: AbortSignal): Promise<Again | void> => {
    const request = informer.get(name);
    if (request === undefined) return;
    const wait = endOf(request) - clock.now();
    if (wait > 0) return { againInMs: wait };
    const { uid = "", resourceVersion = "" } = request.metadata;
    try {
      await requests.delete({ name }, { preconditions: { uid, resourceVersion }, signal });
    } catch (error) {
      // The request may have been decided just now.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  };

  return new Controller({
    ...context,
    sources: [informer],
    reconcile,
  });
}

/** Returns when a request is to be removed. */
export function endOf({ metadata, status }: CertificateSigningRequest): number {
  const created = timeOf(metadata.creationTimestamp);
  const decisions = (status?.conditions ?? []).filter(({ type }) => {
    return type === "Denied" || type === "Failed" || (type === "Approved" && status?.certificate);
  });
  const ends = decisions.map((condition) => {
    const decided = condition.lastUpdateTime ?? metadata.creationTimestamp;
    return timeOf(decided) + decidedMs;
  });
  return Math.min(created + waitingMs, ...ends);
}

/** Parses a time; an unreadable one counts as the oldest. */
function timeOf(text: string | undefined): number {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? 0 : time;
}
