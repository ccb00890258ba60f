import { defined } from "../../../base/json/defined.ts";
import { type Access, type Credential, staticCredentials } from "../access.ts";
import { pathIn, readPem } from "./cluster.ts";
import { execPlugin } from "./exec-plugin.ts";
import type { Fields } from "./fields.ts";
import type { Machine } from "./machine.ts";
import { fileLifetimeMs, renewedCredentials } from "./renewed-credentials.ts";

/** The credentials of a user; a context without one is anonymous. */
export async function userOf(
  machine: Machine,
  user: Fields | undefined,
  cluster: Fields,
): Promise<Pick<Access, "credentials" | "impersonation">> {
  if (user === undefined) return { credentials: staticCredentials({}) };
  if (user.has("auth-provider")) return user.fail("auth-provider", "is not supported; use exec");
  const impersonation = impersonationOf(user);
  if (user.has("exec")) return { impersonation, credentials: execPlugin(machine, user, cluster) };
  const read = () => readCredential(machine, user);
  // The first read happens here rather than with the first request, so that errors show up on loading.
  const credential = await read();
  if (!["tokenFile", "client-certificate", "client-key"].some((name) => user.has(name))) {
    return { impersonation, credentials: staticCredentials(credential) };
  }
  const { clock } = machine;
  const obtain = async () => ({ credential: await read(), until: clock.now() + fileLifetimeMs });
  return { impersonation, credentials: renewedCredentials(obtain, clock) };
}

async function readCredential({ files }: Machine, user: Fields): Promise<Credential> {
  const certificate = await readPem(files, user, "client-certificate");
  const key = await readPem(files, user, "client-key");
  if (certificate !== undefined && key === undefined) return user.fail("client-key", "is missing");
  if (key !== undefined && certificate === undefined) {
    return user.fail("client-certificate", "is missing");
  }
  const path = pathIn(user, "tokenFile");
  const token =
    path === undefined
      ? user.text("token")
      : ((await files.read(path))?.trim() ??
        user.fail("tokenFile", `is ${path}, which does not exist`));
  return { certificate, key, authorization: authorizationOf(user, token) };
}

function authorizationOf(user: Fields, token: string | undefined): string | undefined {
  if (token !== undefined) return `Bearer ${token}`;
  const name = user.text("username");
  if (name === undefined) return undefined;
  const pair = `${name}:${user.text("password") ?? ""}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

function impersonationOf(user: Fields): Record<string, string | readonly string[]> {
  const as = user.text("as");
  const uid = user.text("as-uid");
  const groups = user.texts("as-groups");
  const extra = user.fields("as-user-extra");
  return {
    ...defined({ "impersonate-user": as, "impersonate-uid": uid }),
    ...(groups.length === 0 ? {} : { "impersonate-group": groups }),
    ...Object.fromEntries(
      extra
        .names()
        .map((name) => [
          `impersonate-extra-${encodeURIComponent(name.toLowerCase())}`,
          extra.texts(name),
        ]),
    ),
  };
}
