// The logins that a pod may pull its images with, from the secrets it names.

import type { Pod, Secret } from "../../../api/types/core.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { RegistryLogin } from "../../runtime/runtime.ts";
import type { NamedObjects } from "../environment/environment.ts";

export interface PullLogins {
  readonly logins: readonly RegistryLogin[];
  /** Errors of unusable secrets; they are only reported, since the images may be pullable without a login. */
  readonly problems: readonly string[];
}

export async function pullLoginsOf(
  { metadata, spec }: Pod,
  objects: NamedObjects,
): Promise<PullLogins> {
  const { namespace } = metadata;
  const found: PullLogins[] = await Promise.all(
    (spec.imagePullSecrets ?? []).map(async ({ name = "" }) => {
      try {
        const secret = await objects.secret(namespace, name);
        if (secret === undefined) throw new Error("there is none");
        return { logins: loginsIn(secret), problems: [] };
      } catch (error) {
        const problem = `Cannot use image pull secret ${namespace}/${name}: ${messageOf(error)}`;
        return { logins: [], problems: [problem] };
      }
    }),
  );
  return {
    logins: found.flatMap(({ logins }) => logins),
    problems: found.flatMap(({ problems }) => problems),
  };
}

interface Entry {
  readonly auth?: string;
  readonly username?: string;
  readonly password?: string;
}

/** Parses Docker's client configuration, in the current format or the old one. */
function loginsIn({ data = {} }: Secret): readonly RegistryLogin[] {
  const { ".dockerconfigjson": present, ".dockercfg": old } = data;
  const text = present ?? old;
  if (text === undefined) throw new Error("it has neither .dockerconfigjson nor .dockercfg");
  const parsed = parse(Buffer.from(text, "base64").toString());
  const entries = present === undefined ? parsed : (parsed["auths"] ?? {});
  return Object.entries(entries as Readonly<Record<string, Entry>>).flatMap(([place, entry]) => {
    const login = loginOf(entry);
    return login === undefined ? [] : [{ place, ...login }];
  });
}

function loginOf({ auth, username, password }: Entry) {
  if (username !== undefined && password !== undefined) return { user: username, password };
  const [, user, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(auth ?? "", "base64").toString()) ?? [];
  return user === undefined || secret === undefined ? undefined : { user, password: secret };
}

/** Parses JSON without repeating the parser's error message, which might show parts of the secret. */
function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error("it is no JSON object");
}
