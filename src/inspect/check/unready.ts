import type { Pod } from "../../api/types/core.ts";

/** Returns why a pod is not ready; `undefined` if it is. */
export function whyNotReady({ status }: Pod): string | undefined {
  const conditions = status?.conditions ?? [];
  if (conditions.some(({ type, status: is }) => type === "Ready" && is === "True")) {
    return undefined;
  }
  for (const { state } of status?.containerStatuses ?? []) {
    const { reason, message } = state?.waiting ?? state?.terminated ?? {};
    if (reason !== undefined) return message === undefined ? reason : `${reason}: ${message}`;
  }
  const telling = conditions.find(({ status: is, message }) => is !== "True" && message);
  return telling?.message ?? `is ${status?.phase ?? "Pending"}`;
}
