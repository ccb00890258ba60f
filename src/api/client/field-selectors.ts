// Builders of field selectors.

import type { Selection } from "./options.ts";

/** Selects objects with these field values: `{ "spec.nodeName": "node-a" }`. */
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
 * Selects the pods with an address that a service controller other than the built-in one has claimed: all
 * that such a controller needs to watch.
 */
export function podsOfServiceController(name: string): Selection {
  return withFields({ "status.podIPs.serviceControllerName": name });
}

/** Escapes the three characters that have a meaning in a selector. */
function escape(value: string): string {
  return value.replaceAll(/[\\,=]/g, String.raw`\$&`);
}
