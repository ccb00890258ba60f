// Store addresses, as given on a command line.

import { StoreError } from "./errors.ts";

export type StoreAddress =
  | { readonly type: "embedded"; readonly directory: string }
  | {
      readonly type: "etcd";
      readonly endpoints: readonly string[];
      readonly prefix?: string;
      readonly user?: { readonly name: string; readonly password: string };
      /** The paths of PEM files, and of a file with the user's password. */
      readonly files: Readonly<Partial<Record<FileName, string>>>;
    };

const fileNames = ["ca", "cert", "key", "passwordFile"] as const;
type FileName = (typeof fileNames)[number];

const etcdForm = /^etcd(\+http)?:\/\/(?:([^@/]*)@)?([^/?#@]+)(\/[^?#]*)?(?:\?([^#]*))?$/;

/**
 * Parses `embedded:DIRECTORY`, or `etcd://[USER[:PASSWORD]@]HOST:PORT[,HOST:PORT…][/PREFIX]` with
 * `?ca=FILE&cert=FILE&key=FILE&passwordFile=FILE`; `etcd+http://` connects without TLS.
 */
export function parseStoreAddress(text: string): StoreAddress {
  const directory = /^embedded:(.+)$/.exec(text)?.[1];
  if (directory !== undefined) return { type: "embedded", directory };
  const match = etcdForm.exec(text);
  if (match === null) {
    throw invalid(
      text,
      "it has to be embedded:DIRECTORY, etcd://HOST:PORT or etcd+http://HOST:PORT",
    );
  }
  const [, plain, login, hosts = "", prefix, query = ""] = match;
  const scheme = plain === undefined ? "https" : "http";
  const endpoints = hosts.split(",").map((host) => `${scheme}://${host}`);
  for (const endpoint of endpoints) checkEndpoint(text, endpoint);
  const files = parseFiles(text, query);
  return {
    type: "etcd",
    endpoints,
    files,
    ...(prefix === undefined || prefix === "/" ? {} : { prefix }),
    ...(login === undefined ? {} : { user: parseUser(text, login) }),
  };
}

function parseFiles(text: string, query: string): Partial<Record<FileName, string>> {
  const files: Partial<Record<FileName, string>> = {};
  for (const [name, path] of new URLSearchParams(query)) {
    const known = fileNames.find((one) => one === name);
    if (known === undefined) throw invalid(text, `${name} is none of ${fileNames.join(", ")}`);
    files[known] = path;
  }
  return files;
}

function parseUser(text: string, login: string): { name: string; password: string } {
  const [name = "", password = ""] = login.split(":");
  try {
    return { name: decodeURIComponent(name), password: decodeURIComponent(password) };
  } catch (error) {
    if (error instanceof URIError) throw invalid(text, "the user is not encoded as in a URL");
    throw error;
  }
}

function checkEndpoint(text: string, endpoint: string): void {
  const url = URL.parse(endpoint);
  if (url === null || url.hostname === "") throw invalid(text, `${endpoint} is not HOST:PORT`);
}

/** Returns the error, without the password of the address. */
function invalid(text: string, state: string): StoreError {
  const shown = text.replace(/\/\/.*@/, "//…@");
  return new StoreError(`Cannot use the store ${JSON.stringify(shown)}: ${state}`, {
    reason: "invalid",
  });
}
