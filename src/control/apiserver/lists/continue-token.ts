// The continue token: the position of the next page, opaque to clients.
import type { Revision } from "../../store/store.ts";
import { badRequest } from "../errors.ts";

export interface Position {
  /** The revision of the first page; absent when the client gave up consistency. */
  readonly revision: Revision | undefined;
  /** The last object before this position. */
  readonly namespace: string;
  readonly name: string;
}

export function encodePosition({ revision, namespace, name }: Position): string {
  return Buffer.from(JSON.stringify([revision ?? 0, namespace, name])).toString("base64url");
}

export function decodePosition(token: string): Position {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(token, "base64url").toString());
  } catch (error) {
    throw invalidToken(error);
  }
  if (!Array.isArray(parts)) throw invalidToken();
  const [revision, namespace, name] = parts as unknown[];
  if (typeof namespace !== "string" || typeof name !== "string") throw invalidToken();
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 0) {
    throw invalidToken();
  }
  return { revision: revision === 0 ? undefined : revision, namespace, name };
}

function invalidToken(cause?: unknown) {
  return badRequest("continue key is not valid", cause);
}
