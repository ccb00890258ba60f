import type { HTTPIngressPath } from "../../../api/types/networking.ts";
import type { Settings } from "./annotations.ts";
import { UnfitValue } from "./problem.ts";

/**
 * A path to match: `exact` is this path, `prefix` is this path and everything below it, `pattern` is a
 * regular expression that paths begin with.
 */
export interface Path {
  readonly kind: "exact" | "prefix" | "pattern";
  /** The decoded path, as servers compare paths; a prefix has no slash at its end, the root is "". */
  readonly text: string;
}

export const root: Path = { kind: "prefix", text: "" };

export function readPath({ path = "/", pathType }: HTTPIngressPath, settings: Settings): Path {
  if (!path.startsWith("/")) throw new UnfitValue("expected a path that begins with /");
  if (pathType === "Exact") return { kind: "exact", text: decode(path) };
  if (pathType === "ImplementationSpecific" && settings.hasPatterns) {
    return { kind: "pattern", text: pattern(path) };
  }
  if (pathType !== "Prefix" && pathType !== "ImplementationSpecific") {
    throw new UnfitValue(`there is no path type ${JSON.stringify(pathType)}`);
  }
  return { kind: "prefix", text: decode(path).replace(/\/+$/, "") };
}

/** Decodes a path; refuses control characters, quotes and backslashes, which would escape nginx's quotes. */
function decode(path: string): string {
  let text: string;
  try {
    text = decodeURIComponent(path);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new UnfitValue("expected a path whose % signs stand for UTF-8");
  }
  if (/[\p{Cc}\p{Cs}"\\]/u.test(text)) {
    throw new UnfitValue("expected a path without control characters, quotes and backslashes");
  }
  return text;
}

function pattern(path: string): string {
  if (!/^[\w./~%()|$*+?^[\]{},:@!=&\\-]+$/.test(path)) {
    throw new UnfitValue("expected a regular expression of ordinary characters");
  }
  try {
    RegExp(path);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UnfitValue("expected a regular expression");
  }
  return path;
}
