// The interface of webhooks to the rest of the server: calls, and what is counted about them.
import type { PostWebhook } from "../../streaming/webhook-client.ts";

/** A call that has been answered or has failed. */
export interface WebhookEvent {
  readonly name: string;
  readonly type: "admit" | "validating";
  readonly operation: string;
  readonly seconds: number;
  readonly code: number;
  readonly outcome: "allowed" | "rejected" | "failed" | "failed-open";
}

export interface WebhookPort {
  readonly post: PostWebhook;
  observe(event: WebhookEvent): void;
}
