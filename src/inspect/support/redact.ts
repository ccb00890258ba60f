// Takes secrets out of texts and objects: those that are known, and all that look like one.

import type { Secret } from "../../api/types/core.ts";

export const redacted = "REDACTED";

/** What secrets look like; each keeps its first group, which says what it was. */
const shapes: readonly RegExp[] = [
  /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY-----/g,
  // The same on one line, as JSON has it, and cut off at the end of a log.
  /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)(?!REDACTED)[\s\S]*$/g,
  // Keys of PKCS #8 and SEC 1 in base64, as kubeconfigs have them (the encoded word PRIVATE follows BEGIN).
  /()LS0tLS1CRUdJTi[A-Za-z0-9+/]*(?:UFJJVkFURS|BSSVZBVE|QUklWQVRF)[A-Za-z0-9+/=]*/g,
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g,
  /(\b[a-z0-9]{6}\.)[a-z0-9]{16}\b/g,
  /(\b(?:bearer|basic)\s+)[\w+/=.~-]{8,}/gi,
  /(:\/\/[^/\s:@]+:)[^/\s@]+(?=@)/g,
  /(["']?\b(?:[\w-]*token|password|passwd|client-key-data|secret[_-]?key|api[_-]?key)\b["']?\s*[:=]\s*)(?!REDACTED)(?:"[^"\n]*"|'[^'\n]*'|[^\s"',}{[\]]+)/gi,
];

/** The shortest value of a Secret that is looked for in other texts; shorter ones are words of every text. */
const shortest = 6;

/** Returns every value that Secrets hold, as it is and in base64, the longest first. */
export function secretValues(secrets: readonly Secret[]): readonly string[] {
  const values = secrets.flatMap(({ data = {} }) =>
    Object.values(data).flatMap((encoded) => {
      const text = Buffer.from(encoded, "base64").toString();
      const lines = text.split("\n").map((line) => line.trim());
      return [encoded, text.trim(), ...lines];
    }),
  );
  return [...new Set(values)]
    .filter((value) => value.length >= shortest)
    .toSorted((one, other) => other.length - one.length);
}

export function redactText(text: string, known: readonly string[] = []): string {
  let clean = text;
  for (const value of known) clean = clean.replaceAll(value, redacted);
  for (const shape of shapes) clean = clean.replaceAll(shape, `$1${redacted}`);
  return clean;
}

interface AnyObject {
  readonly kind?: string | undefined;
  readonly metadata?: object | undefined;
}

/**
 * Returns an object without what may be secret: values of Secrets, ConfigMaps and environment variables, and the
 * copies that clients keep in annotations.
 */
export function redactObject(kind: string, object: AnyObject): object {
  const {
    managedFields: _,
    annotations,
    ...metadata
  } = (object.metadata ?? {}) as {
    managedFields?: unknown;
    annotations?: Record<string, string>;
  };
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !key.includes("last-applied"));
  const named = { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) };
  const hasData = kind === "Secret" || kind === "ConfigMap";
  const rest = { ...object, metadata: named };
  return withoutValues(hasData ? { ...rest, ...hiddenData(object) } : rest) as object;
}

function hiddenData(object: object): object {
  const hidden = Object.entries(object).flatMap(([field, values]) => {
    if (!["data", "stringData", "binaryData"].includes(field)) return [];
    const keys = Object.keys((values ?? {}) as object).map((key) => [key, redacted]);
    return [[field, Object.fromEntries(keys)]];
  });
  return Object.fromEntries(hidden) as object;
}

/** Hides the values of lists named `env`, wherever they are. */
function withoutValues(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutValues(each, field));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) =>
    field === "env" && key === "value" ? [key, redacted] : [key, withoutValues(inner, key)],
  );
  return Object.fromEntries(entries);
}
