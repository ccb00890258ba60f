// Refusals: what a client is told when a webhook denied its request, or could not be asked.
import { internal, type Reason, StatusError } from "../../errors.ts";
import type { ReviewAnswer } from "./review.ts";

/** A webhook that could not be asked, or answered nonsense; its failure policy decides what follows. */
export class CallError extends Error {
  override readonly name = "CallError";
}

/** Returns the refusal of a request whose webhook failed. It is not asked again with newer state. */
export function callFailure(name: string, error: CallError): StatusError {
  const { message, details } = internal(
    new Error(`failed calling webhook "${name}": ${error.message}`, { cause: error }),
  );
  return new StatusError("InternalError", message, {
    ...(details === undefined ? {} : { details }),
    cause: error,
    isFinal: true,
  });
}

/** Returns the refusal that a webhook decided on, with its own code, reason and words. */
export function rejection(name: string, { result }: ReviewAnswer): StatusError {
  const denied = `admission webhook "${name}" denied the request`;
  const code = Number(result["code"] ?? 0);
  const message = textOf(result["message"]);
  const reason = textOf(result["reason"]);
  const why = message || reason;
  const details = result["details"];
  return new StatusError(
    reason as Reason,
    why ? `${denied}: ${why}` : `${denied} without explanation`,
    {
      code: Number.isInteger(code) && code >= 400 && code < 600 ? code : 400,
      ...(typeof details === "object" && details !== null ? { details } : {}),
      isFinal: true,
    },
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
