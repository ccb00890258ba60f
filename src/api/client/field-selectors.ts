// Selectors by field, so that nobody writes their syntax by hand.

import type { Selection } from "./options.ts";

/** Objects whose fields are so: `{ "spec.nodeName": "node-a" }`. */
export function withFields(fields: Readonly<Record<string, string>>): Selection {
  const terms = Object.entries(fields).map(([field, value]) => `${field}=${escape(value)}`);
  return { fieldSelector: terms.join(",") };
}

export function named(name: string): Selection {
  return withFields({ "metadata.name": name });
}

export function podsOfNode(node: string): Selection {
  return withFields({ "spec.nodeName": node });
}

/**
 * Pods with an address that a service controller other than the built-in one has claimed: all that
 * such a controller needs to watch.
 */
export function podsOfServiceController(name: string): Selection {
  return withFields({ "status.podIPs.serviceControllerName": name });
}

/** These three have a meaning of their own in a selector. */
function escape(value: string): string {
  return value.replaceAll(/[\\,=]/g, String.raw`\$&`);
}
