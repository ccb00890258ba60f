// Resources that admission policies and webhooks never apply to.
import type { AdmissionRequest } from "./request.ts";

/** The kinds that define admission: one that applied to itself could not be repaired any more. */
const configurations = new Set([
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "validatingwebhookconfigurations",
]);

/** The policies' own kinds; webhook configurations are subject to policies. */
const policies = new Set(
  [...configurations].filter(
    (plural) => plural.includes("policies") || plural.includes("policybindings"),
  ),
);

/** Returns whether no webhook is called for the request. */
export function isExemptFromWebhooks({ resource: { group, plural } }: AdmissionRequest): boolean {
  return group === "admissionregistration.k8s.io" && configurations.has(plural);
}

/** Returns whether no policy applies to the request: neither to policies nor to questions about access. */
export function isExemptFromPolicies({ resource }: AdmissionRequest): boolean {
  const { group, plural, verbs } = resource;
  if (group === "admissionregistration.k8s.io") return policies.has(plural);
  const isReview = group === "authentication.k8s.io" || group === "authorization.k8s.io";
  return isReview && !verbs.includes("get");
}
