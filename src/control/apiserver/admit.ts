// Authenticates and authorizes a request.
import type { Attributes, Authenticator, Credentials, User } from "./access.ts";
import { attributesOf } from "./attributes.ts";
import { forbidden, StatusError, unauthorized } from "./errors.ts";
import { impersonation } from "./impersonate.ts";
import type { Access } from "./ports.ts";
import type { RequestInfo } from "./request-info.ts";

/** The user of requests without credentials. */
export const nobody: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Resolves to the user once they are authenticated and authorized. */
export async function admitUser(
  access: Access,
  credentials: Credentials,
  info: RequestInfo,
  identified: (real: User, assumed?: User) => void = () => undefined,
): Promise<User> {
  const real = await identify(access.authenticator, credentials);
  if (real === undefined) return await admitAnonymous(access, info);
  identified(real);
  const user = await assume(access, real, credentials);
  if (user !== real) identified(real, user);
  const attributes = attributesOf(info);
  const decision = await access.authorizer?.authorize(user, attributes);
  if (decision?.allowed !== true) throw refusal(user, attributes, decision?.reason);
  return user;
}

/** Admits a request without credentials if anonymous users may make it; otherwise answers 401. */
async function admitAnonymous({ anonymous, authorizer }: Access, info: RequestInfo): Promise<User> {
  const { enabled = false, paths = [] } = anonymous ?? {};
  const isMeant = enabled && (paths.length === 0 || paths.includes(info.path));
  const decision = isMeant ? await authorizer?.authorize(nobody, attributesOf(info)) : undefined;
  if (decision?.allowed !== true) throw unauthorized();
  return nobody;
}

/** Throws unless the user may also use this verb on the target of their request. */
export async function admitAs(
  access: Access,
  { user, info }: { user: User; info: RequestInfo },
  verb: string,
): Promise<void> {
  const attributes = { ...attributesOf(info), verb };
  const decision = await access.authorizer?.authorize(user, attributes);
  if (decision?.allowed !== true) throw refusal(user, attributes, decision?.reason);
}

/** Returns the user that the request acts as: the impersonated one, or the real one. */
async function assume(access: Access, real: User, { headers }: Credentials): Promise<User> {
  const assumed = impersonation(headers);
  for (const attributes of assumed?.needs ?? []) {
    const decision = await access.authorizer?.authorize(real, attributes);
    if (decision?.allowed !== true) throw refusal(real, attributes, decision?.reason);
  }
  return assumed?.user ?? real;
}

async function identify(
  authenticator: Authenticator | undefined,
  credentials: Credentials,
): Promise<User | undefined> {
  try {
    return await authenticator?.authenticate(credentials);
  } catch (error) {
    throw new StatusError("Unauthorized", "Unauthorized", { cause: error });
  }
}

function refusal(user: User, attributes: Attributes, reason: string | undefined): StatusError {
  const { group, resource, name = "" } = attributes;
  const what = `User ${JSON.stringify(user.name)} cannot ${describe(attributes)}`;
  const why = reason === undefined || reason === "" ? what : `${what}: ${reason}`;
  return forbidden({ group, name: resource }, name, why);
}

function describe({ verb, group, resource, subresource, namespace, path }: Attributes): string {
  if (resource === "") return `${verb} path ${JSON.stringify(path)}`;
  const object = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where =
    namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  return `${verb} resource "${object}" in API group "${group}" ${where}`;
}
