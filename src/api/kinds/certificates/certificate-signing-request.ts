// Rules of CertificateSigningRequests. The server sets the requester, and the spec is immutable; approvers
// write conditions, signers the certificate.

import type { FieldError } from "../../fields/field-error.ts";
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../fields/field-errors.ts";
import { pathSegment } from "../../fields/names.ts";
import { timestamp } from "../../fields/timestamp.ts";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from "../../types/certificates.ts";
import { shortDuration } from "../age.ts";
import { each, isRepeated } from "../checks.ts";
import { domainPathErrors } from "../domain-path.ts";
import { sameMeaning } from "../equality.ts";
import type { Kind } from "../kind.ts";
import { ageColumn, nameColumn, table, text } from "../table.ts";

const usages = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
];
const legacySigner = "kubernetes.io/legacy-unknown";
const leastSeconds = 600;
/** The condition types of a decision; their status can only be True. */
const decisions = ["Approved", "Denied", "Failed"];

export const certificateSigningRequest: Kind<CertificateSigningRequest> = {
  name: pathSegment,
  hasGeneration: false,
  selectableFields: ["spec.signerName"],
  selectableField: ({ spec }) => spec?.signerName ?? "",
  default(object) {
    object.spec ??= { request: "", signerName: "" };
  },
  reconcile(object, { old, subresource, settings }) {
    if (subresource === "approval" || subresource === "status") {
      stampConditions(object, { old, now: timestamp(settings.now()) });
    }
    return { errors: [], warnings: [] };
  },
  prepareCreate(object) {
    object.status = {};
  },
  prepareUpdate(object, old) {
    object.spec = old.spec;
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
  },
  prepareStatusUpdate(object, old) {
    object.spec = old.spec;
  },
  validate: ({ spec, status }) => [
    ...usageErrors(spec.usages ?? []),
    ...signerErrors(spec.signerName),
    ...((spec.expirationSeconds ?? leastSeconds) >= leastSeconds
      ? []
      : [
          invalid(
            "spec.expirationSeconds",
            spec.expirationSeconds,
            "may not specify a duration less than 600 seconds (10 minutes)",
          ),
        ]),
    ...conditionErrors(status?.conditions ?? []),
  ],
  validateUpdate: (object, old) => removals(object, old),
  validateStatusUpdate: (object, old) => [
    ...removals(object, old),
    ...["Approved", "Denied"].flatMap((type) => changes(type, object, old)),
    ...(old.status?.certificate && old.status.certificate !== object.status?.certificate
      ? [forbidden("status.certificate", "updates may not modify existing certificate content")]
      : []),
  ],
  table: table<CertificateSigningRequest>([
    nameColumn,
    ageColumn,
    text("SignerName", ({ spec }) => spec?.signerName || "<none>"),
    text("Requestor", ({ spec }) => spec?.username),
    text("RequestedDuration", ({ spec }) => duration(spec?.expirationSeconds)),
    text("Condition", conditionText),
  ]),
};

function stampConditions(
  object: CertificateSigningRequest,
  { old, now }: { old: CertificateSigningRequest | undefined; now: string },
): void {
  for (const condition of object.status?.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    const before = old?.status?.conditions?.find(
      ({ type, status }) => type === condition.type && status === condition.status,
    );
    condition.lastTransitionTime ??= before?.lastTransitionTime ?? now;
  }
}

function usageErrors(asked: readonly string[]): FieldError[] {
  if (asked.length === 0) return [required("spec.usages")];
  const seen = new Set<string>();
  return each(asked, "spec.usages", (usage, path) => [
    ...(usages.includes(usage) ? [] : [notSupported(path, usage, usages)]),
    ...(isRepeated(seen, usage) ? [duplicate(path, usage)] : []),
  ]);
}

function signerErrors(signer: string | undefined): FieldError[] {
  const field = "spec.signerName";
  if (!signer) return [required(field)];
  if (signer === legacySigner) {
    return [invalid(field, signer, "the legacy signerName is not allowed via this API version")];
  }
  return domainPathErrors(field, signer);
}

function conditionErrors(conditions: readonly CertificateSigningRequestCondition[]): FieldError[] {
  const seen = new Set<string>();
  const path = "status.conditions";
  const isBoth = ["Approved", "Denied"].every((type) =>
    conditions.some((one) => one.type === type),
  );
  return [
    ...each(conditions, path, ({ type, status }, field) => {
      const allowed = decisions.includes(type) ? ["True"] : ["False", "True", "Unknown"];
      return [
        ...(type ? [] : [required(`${field}.type`)]),
        ...(!status
          ? [required(`${field}.status`)]
          : allowed.includes(status)
            ? []
            : [notSupported(`${field}.status`, status, allowed)]),
        ...(isRepeated(seen, type) ? [duplicate(`${field}.type`, type)] : []),
      ];
    }),
    ...(isBoth
      ? [invalid(path, "Denied", "Approved and Denied conditions are mutually exclusive")]
      : []),
  ];
}

function ofType(type: string, { status }: CertificateSigningRequest) {
  return (status?.conditions ?? []).filter((condition) => condition.type === type);
}

function removals(object: CertificateSigningRequest, old: CertificateSigningRequest): FieldError[] {
  return decisions
    .filter((type) => ofType(type, object).length < ofType(type, old).length)
    .map((type) =>
      forbidden("status.conditions", `updates may not remove a condition of type "${type}"`),
    );
}

/** Refuses added or changed conditions in ordinary updates: approval has a subresource of its own. */
function changes(
  type: string,
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
): FieldError[] {
  const [now, before] = [ofType(type, object), ofType(type, old)];
  if (now.length < before.length || sameMeaning(now, before)) return [];
  const what = now.length > before.length ? "add" : "modify";
  return [forbidden("status.conditions", `updates may not ${what} a condition of type "${type}"`)];
}

function conditionText({ status }: CertificateSigningRequest): string {
  const has = (type: string) => (status?.conditions ?? []).some((one) => one.type === type);
  const words = [has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending"];
  if (has("Failed")) words.push("Failed");
  if (status?.certificate) words.push("Issued");
  return words.join(",");
}

function duration(seconds: number | undefined): string {
  if (seconds === undefined) return "<none>";
  return shortDuration(seconds * 1000);
}
