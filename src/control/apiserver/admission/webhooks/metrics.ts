// Metrics of admission webhooks, under the names they have in Kubernetes.
import type { Registry } from "../../../../base/program/metrics.ts";
import type { WebhookEvent } from "./port.ts";

export function webhookMetrics(registry: Registry): (event: WebhookEvent) => void {
  const labels = ["name", "type", "operation"] as const;
  const requests = registry.counter("apiserver_admission_webhook_request_total", {
    help: "Calls of admission webhooks, by their outcome.",
    labels: [...labels, "code", "rejected"] as const,
  });
  const durations = registry.histogram("apiserver_admission_webhook_admission_duration_seconds", {
    help: "Latency of admission webhooks.",
    labels: [...labels, "rejected"] as const,
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25],
  });
  const rejections = registry.counter("apiserver_admission_webhook_rejection_count", {
    help: "Requests that admission webhooks rejected, or that failed since none could be asked.",
    labels: [...labels, "error_type", "rejection_code"] as const,
  });
  const failedOpen = registry.counter("apiserver_admission_webhook_fail_open_count", {
    help: "Requests that were admitted though their admission webhook failed.",
    labels: ["name", "type"],
  });
  return ({ name, type, operation, seconds, code, outcome }) => {
    const isRejected = outcome === "rejected" || outcome === "failed";
    const rejected = String(isRejected);
    requests.with(name, type, operation, String(code), rejected).increment();
    durations.with(name, type, operation, rejected).observe(seconds);
    if (outcome === "failed-open") failedOpen.with(name, type).increment();
    if (!isRejected) return;
    const error = outcome === "failed" ? "calling_webhook_error" : "no_error";
    rejections.with(name, type, operation, error, String(code)).increment();
  };
}
