// ConversionReviews: the question to the webhook of a custom resource, and its answer.
import { randomUUID } from "node:crypto";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import type { WebhookConversion } from "../../../api/types/apiextensions.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { isObject } from "../../../base/json/value.ts";
import { messageOf } from "../../../base/program/errors.ts";
import { internal, StatusError } from "../errors.ts";
import type { PostWebhook } from "../streaming/webhook-client.ts";

const group = "apiextensions.k8s.io";
const timeoutMs = 30_000;

export interface Conversions {
  readonly kind: string;
  readonly objects: readonly ApiObject[];
  readonly apiVersion: string;
}

/** Converts objects; rejects with a Status error when the webhook fails or answers nonsense. */
export async function convertByWebhook(
  post: PostWebhook,
  { clientConfig: client, conversionReviewVersions }: WebhookConversion,
  wanted: Conversions,
): Promise<ApiObject[]> {
  const { kind, objects, apiVersion: desiredAPIVersion } = wanted;
  const uid = randomUUID();
  try {
    const version = conversionReviewVersions.find((each) => each === "v1" || each === "v1beta1");
    if (client === undefined || version === undefined) {
      throw new Error("the webhook supports none of the versions v1 and v1beta1");
    }
    const review = {
      kind: "ConversionReview",
      apiVersion: `${group}/${version}`,
      request: { uid, desiredAPIVersion, objects },
    };
    const answer = await post({ client, body: JSON.stringify(review), timeoutMs });
    return readConverted(answer, { uid, wanted });
  } catch (error) {
    const { message, details } = internal(
      new Error(
        `conversion webhook for ${desiredAPIVersion}, Kind=${kind} failed: ${messageOf(error)}`,
        { cause: error },
      ),
    );
    const more = details === undefined ? {} : { details };
    throw new StatusError("InternalError", message, { ...more, cause: error, isFinal: true });
  }
}

function readConverted(
  text: string,
  { uid, wanted }: { uid: string; wanted: Conversions },
): ApiObject[] {
  const review = readJson(text);
  const response = isObject(review) ? review["response"] : undefined;
  if (!isObject(response)) throw new Error("the answer has no response");
  if (response["uid"] !== uid) throw new Error(`expected response.uid="${uid}"`);
  const result = isObject(response["result"]) ? response["result"] : {};
  if (result["status"] !== "Success") {
    throw new Error(typeof result["message"] === "string" ? result["message"] : "no reason given");
  }
  const converted = response["convertedObjects"];
  const { objects } = wanted;
  if (!Array.isArray(converted) || converted.length !== objects.length) {
    throw new Error(`expected ${objects.length} converted objects`);
  }
  return converted.map((each: unknown, index) => checked(each, objects[index], wanted));
}

/** Returns a converted object; throws when the webhook changed what no conversion may. */
function checked(
  converted: unknown,
  object: ApiObject | undefined,
  { apiVersion, kind }: Conversions,
): ApiObject {
  if (!isObject(converted) || !isObject(converted["metadata"])) {
    throw new Error("a converted object has no metadata");
  }
  const { metadata } = converted;
  const fixed: [string, unknown, unknown][] = [
    ["apiVersion", converted["apiVersion"], apiVersion],
    ["kind", converted["kind"], kind],
    ["metadata.name", metadata["name"], object?.metadata?.name],
    ["metadata.namespace", metadata["namespace"], object?.metadata?.namespace],
    ["metadata.uid", metadata["uid"], object?.metadata?.uid],
  ];
  const wrong = fixed.find(([, is, must]) => is !== must);
  if (wrong === undefined) return converted;
  const [field, is, must] = wrong;
  throw new Error(`${field} of a converted object is ${String(is)}, expected ${String(must)}`);
}
