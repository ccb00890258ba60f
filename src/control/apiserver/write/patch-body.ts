// Parses the four kinds of patches.

import type { ApiObject, WriteContext } from "../../../api/kinds/kind.ts";
import { isPatchError } from "../../../api/patch/error.ts";
import { applyJsonPatch } from "../../../api/patch/json-patch.ts";
import { applyMergePatch } from "../../../api/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../../api/patch/strategic.ts";
import type { Schema } from "../../../api/schema/model.ts";
import { parseJson } from "../../../base/json/parse-json.ts";
import { parseYaml } from "../../../base/json/parse-yaml.ts";
import { isObject, type JsonObject } from "../../../base/json/value.ts";
import { badRequest, StatusError, unsupportedMediaType } from "../errors.ts";
import type { Asked } from "../http/exchange.ts";
import { duplicatesInto, mediaType, parseText, repeatedKeysInto } from "./decode.ts";

export type PatchKind = NonNullable<WriteContext["patch"]>;

export interface PatchBody {
  readonly kind: PatchKind;
  readonly patch: unknown;
  /** The problems: `duplicate field "x"` for each, or `line 2: key "x" already set in map` for apply. */
  readonly problems: readonly string[];
}

const kinds: Readonly<Record<string, PatchKind>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** Returns the kind of patch by content type; throws when the resource does not support it. */
export function patchKind(exchange: Asked, isCustom: boolean): PatchKind {
  const type = mediaType(exchange);
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  // Custom resources have no strategic merge patch: their schemas do not say how lists merge.
  if (kind === undefined || (isCustom && kind === "strategic")) {
    const names = Object.keys(kinds).filter((each) => !isCustom || kinds[each] !== "strategic");
    throw unsupportedMediaType(names);
  }
  return kind;
}

export function decodePatch(kind: PatchKind, body: Buffer): PatchBody {
  const problems: string[] = [];
  const isApply = kind === "apply";
  const onDuplicate = isApply ? repeatedKeysInto(problems) : duplicatesInto(problems);
  const parse = isApply ? parseYaml : parseJson;
  return { kind, patch: parseText(() => parse(body, { onDuplicate })), problems };
}

/** Applies a patch to an object; server-side apply is handled elsewhere. */
export function patched(object: ApiObject, { kind, patch }: PatchBody, schema: Schema): ApiObject {
  const result = guard(() => {
    if (kind === "json") return applyJsonPatch(object as JsonObject, patch);
    if (kind === "merge") return applyMergePatch(object, patch);
    return applyStrategicMergePatch(schema, object as JsonObject, patch);
  });
  if (!isObject(result)) throw badRequest("Cannot patch: the result is not an object");
  return result;
}

function guard(apply: () => unknown): unknown {
  try {
    return apply();
  } catch (error) {
    if (!isPatchError(error)) throw error;
    throw new StatusError(error.reason, error.message, { details: {}, cause: error });
  }
}
