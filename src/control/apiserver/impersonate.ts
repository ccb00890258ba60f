// Impersonation (`kubectl --as`): users may act as others if they are authorized to.
import type { IncomingHttpHeaders } from "node:http";
import type { Attributes, User } from "./access.ts";
import { badRequest } from "./errors.ts";

export interface Impersonation {
  readonly user: User;
  /** The permissions the real user needs for this impersonation. */
  readonly needs: readonly Attributes[];
}

/** Parses the impersonation headers; `undefined` when there are none. */
export function impersonation(headers: IncomingHttpHeaders): Impersonation | undefined {
  const name = text(headers, "impersonate-user");
  const groups = list(headers["impersonate-group"]);
  const uid = text(headers, "impersonate-uid");
  const extra = extraOf(headers);
  if (name === "") {
    if (groups.length === 0 && uid === "" && extra.size === 0) return undefined;
    throw badRequest("Cannot impersonate groups, a uid or extra fields: no user is named");
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const needs: Attributes[] = [
    account === null
      ? need("users", { name })
      : need("serviceaccounts", { namespace: account[1] ?? "", name: account[2] ?? "" }),
    ...groups.map((group) => need("groups", { name: group })),
    ...(uid === "" ? [] : [need("uids", { group: "authentication.k8s.io", name: uid })]),
    ...[...extra].flatMap(([key, values]) =>
      values.map((value) =>
        need("userextras", { group: "authentication.k8s.io", subresource: key, name: value }),
      ),
    ),
  ];
  return {
    needs,
    user: {
      name,
      groups: withImplied(name, groups, account?.[1]),
      ...(uid === "" ? {} : { uid }),
      ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
    },
  };
}

function need(resource: string, about: Partial<Attributes>): Attributes {
  return { verb: "impersonate", group: "", version: "v1", resource, path: "", ...about };
}

/** Adds the groups that every user or service account is in. */
function withImplied(
  name: string,
  groups: readonly string[],
  namespace: string | undefined,
): string[] {
  const accounts =
    namespace === undefined || groups.length > 0
      ? []
      : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  const everybody = name === "system:anonymous" ? "system:unauthenticated" : "system:authenticated";
  return [...new Set([...groups, ...accounts, everybody])];
}

const extraPrefix = "impersonate-extra-";

function extraOf(headers: IncomingHttpHeaders): Map<string, string[]> {
  const extra = new Map<string, string[]>();
  for (const [header, value] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix)) continue;
    const key = header.slice(extraPrefix.length);
    if (/%(?![0-9a-f]{2})/.test(key)) throw badRequest(`Cannot read the header ${header}`);
    extra.set(unescape(key), list(value));
  }
  return extra;
}

function unescape(key: string): string {
  return key.replaceAll(/%([0-9a-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function text(headers: IncomingHttpHeaders, name: string): string {
  return list(headers[name])[0] ?? "";
}

/** Splits a header that may be given several times, which Node joins to one text. */
function list(value: string | string[] | undefined): string[] {
  const all = Array.isArray(value) ? value : (value ?? "").split(", ");
  return all.filter((each) => each !== "");
}
