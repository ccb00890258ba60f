// AdmissionReviews: the question to a webhook, and its answer.
import type { ApiObject } from "../../../../api/kinds/kind.ts";
import { readJson } from "../../../../base/json/read-json.ts";
import { isObject } from "../../../../base/json/value.ts";
import { type AdmissionRequest, type MatchedResource, shown } from "../matching/request.ts";

export interface ReviewAnswer {
  readonly isAllowed: boolean;
  /** The operations of a JSON patch. */
  readonly patch: unknown;
  readonly result: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

const group = "admission.k8s.io";
const known = ["v1", "v1beta1"];

/** Returns the version of the review that the webhook prefers. */
export function reviewVersion(accepted: readonly string[]): string {
  const version = accepted.find((each) => known.includes(each));
  if (version !== undefined) return `${group}/${version}`;
  throw new Error("webhook does not accept known AdmissionReview versions (v1, v1beta1)");
}

export function reviewOf(
  request: AdmissionRequest,
  matched: MatchedResource,
  { apiVersion, uid }: { readonly apiVersion: string; readonly uid: string },
): ApiObject {
  const { resource, kind, subresource, user } = request;
  const { name: username, uid: userId, groups, extra } = user;
  const inVersion = (object: ApiObject | undefined) => shown(matched, request, object) ?? null;
  return {
    kind: "AdmissionReview",
    apiVersion,
    request: {
      uid,
      kind: matched.kind,
      resource: resourceOf(matched.resource),
      ...(subresource === undefined ? {} : { subResource: subresource }),
      requestKind: kind,
      requestResource: resourceOf(resource),
      ...(subresource === undefined ? {} : { requestSubResource: subresource }),
      ...(request.name === "" ? {} : { name: request.name }),
      ...(request.namespace === "" ? {} : { namespace: request.namespace }),
      operation: request.operation,
      userInfo: {
        username,
        ...(userId === undefined ? {} : { uid: userId }),
        groups,
        ...(extra === undefined ? {} : { extra }),
      },
      object: inVersion(request.object),
      oldObject: inVersion(request.oldObject),
      dryRun: request.dryRun,
      options: request.options,
    },
  } as ApiObject;
}

/** Reads an answer; throws when it does not fit the question. */
export function readAnswer(
  text: string,
  { apiVersion, uid, isMutating }: { apiVersion: string; uid: string; isMutating: boolean },
): ReviewAnswer {
  const review = readJson(text);
  const response = isObject(review) ? review["response"] : undefined;
  if (!isObject(review) || !isObject(response)) throw new Error("webhook response was absent");
  const isCurrent = apiVersion === `${group}/v1`;
  if (isCurrent) {
    const said = `${String(review["apiVersion"])}, Kind=${String(review["kind"])}`;
    const expected = `${apiVersion}, Kind=AdmissionReview`;
    if (said !== expected) throw new Error(`expected webhook response of ${expected}, got ${said}`);
    if (response["uid"] !== uid) {
      const given = JSON.stringify(response["uid"] ?? "");
      throw new Error(`expected response.uid="${uid}", got ${given}`);
    }
  }
  return {
    isAllowed: response["allowed"] === true,
    patch: patchOf(response, { isMutating, isCurrent }),
    result: isObject(response["status"]) ? response["status"] : {},
    warnings: textsOf(response["warnings"]),
    annotations: isObject(response["auditAnnotations"])
      ? Object.fromEntries(
          Object.entries(response["auditAnnotations"]).map(([key, value]) => [key, String(value)]),
        )
      : {},
  };
}

function patchOf(
  { patch, patchType }: Record<string, unknown>,
  { isMutating, isCurrent }: { isMutating: boolean; isCurrent: boolean },
): unknown {
  const isGiven = typeof patch === "string" && patch !== "";
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating) {
    if (isCurrent && isGiven) throw new Error("validating webhook may not return response.patch");
    if (isCurrent && hasType)
      throw new Error("validating webhook may not return response.patchType");
    return undefined;
  }
  if (isCurrent && isGiven && !hasType)
    throw new Error("webhook returned response.patch but not response.patchType");
  if (isCurrent && hasType && !isGiven)
    throw new Error("webhook returned response.patchType but not response.patch");
  if (!isGiven) return undefined;
  if (isCurrent && patchType !== "JSONPatch")
    throw new Error(`webhook returned invalid response.patchType of "${String(patchType)}"`);
  return readJson(Buffer.from(patch, "base64").toString());
}

function resourceOf({ group: of, version, plural }: MatchedResource["resource"]) {
  return { group: of, version, resource: plural };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
