// Annotations that change how an Ingress is served, by the names ingress-nginx gave them. Their values end up
// in a configuration that all Ingresses share: each is parsed into a typed value, and no text is passed on as
// it was written.

import type { Ingress } from "../../../api/types/networking.ts";
import { type Problem, refused, UnfitValue } from "./problem.ts";

export interface Settings {
  readonly bodySize: string;
  /** The timeouts, in seconds. */
  readonly connectTimeout: number;
  readonly sendTimeout: number;
  readonly readTimeout: number;
  readonly backendProtocol: "http" | "https";
  /** Whether HTTP requests are redirected to HTTPS: where there is a certificate, or in any case. */
  readonly redirectsToHttps: boolean;
  readonly forcesHttps: boolean;
  /** Whether paths of type ImplementationSpecific are regular expressions. */
  readonly hasPatterns: boolean;
  /** The path sent to the backend; `$1` to `$9` are what the path's pattern has captured. */
  readonly rewriteTarget: string | undefined;
  /** The redirect that answers all requests instead of a backend. */
  readonly redirect: Redirect | undefined;
}

export interface Redirect {
  readonly code: 301 | 302;
  readonly url: string;
  readonly keepsPath: boolean;
}

export const defaultSettings: Settings = {
  bodySize: "1m",
  connectTimeout: 5,
  sendTimeout: 60,
  readTimeout: 60,
  backendProtocol: "http",
  redirectsToHttps: true,
  forcesHttps: false,
  hasPatterns: false,
  rewriteTarget: undefined,
  redirect: undefined,
};

const prefix = "nginx.ingress.kubernetes.io/";

/** Parses annotations; no settings if a value is invalid, since serving with others may be unsafe. */
export function readAnnotations({ metadata: { annotations = {} } }: Ingress): {
  readonly settings: Settings | undefined;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  let settings: Settings | undefined = defaultSettings;
  for (const [annotation, value] of Object.entries(annotations)) {
    if (!annotation.startsWith(prefix)) continue;
    const name = annotation.slice(prefix.length);
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    const field = `metadata.annotations[${annotation}]`;
    if (read === undefined) {
      problems.push({ ...refused(field, value, "there is no such setting"), reason: "Ignored" });
      continue;
    }
    try {
      const given = read(value);
      settings &&= { ...settings, ...given };
    } catch (error) {
      if (!(error instanceof UnfitValue)) throw error;
      problems.push(refused(field, value, error.message));
      settings = undefined;
    }
  }
  return { settings, problems };
}

const readers: Readonly<Record<string, (value: string) => Partial<Settings>>> = {
  "proxy-body-size": (value) => ({ bodySize: size(value) }),
  "proxy-connect-timeout": (value) => ({ connectTimeout: seconds(value) }),
  "proxy-send-timeout": (value) => ({ sendTimeout: seconds(value) }),
  "proxy-read-timeout": (value) => ({ readTimeout: seconds(value) }),
  "backend-protocol": (value) => ({ backendProtocol: protocol(value) }),
  "ssl-redirect": (value) => ({ redirectsToHttps: flag(value) }),
  "force-ssl-redirect": (value) => ({ forcesHttps: flag(value) }),
  "use-regex": (value) => (flag(value) ? { hasPatterns: true } : {}),
  "rewrite-target": (value) => ({ rewriteTarget: target(value), hasPatterns: true }),
  "permanent-redirect": (value) => ({ redirect: redirect(301, value) }),
  "temporal-redirect": (value) => ({ redirect: redirect(302, value) }),
};

function size(value: string): string {
  if (!/^\d{1,9}[kmg]?$/i.test(value)) throw new UnfitValue("expected a size such as 8m");
  return value.toLowerCase();
}

function seconds(value: string): number {
  const number = /^[1-9]\d{0,6}$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isNaN(number)) throw new UnfitValue("expected a number of seconds from 1 to 9999999");
  return number;
}

function flag(value: string): boolean {
  if (value !== "true" && value !== "false") throw new UnfitValue("expected true or false");
  return value === "true";
}

function protocol(value: string): Settings["backendProtocol"] {
  const known = value.toLowerCase();
  if (known !== "http" && known !== "https") throw new UnfitValue("expected HTTP or HTTPS");
  return known;
}

function target(value: string): string {
  if (!/^\/(?:[\w./~%@:+,=&-]|\$[1-9])*$/.test(value)) {
    throw new UnfitValue("expected a path of ordinary characters, with $1 to $9 for captures");
  }
  return value;
}

function redirect(code: Redirect["code"], value: string): Redirect {
  const match = /^(https?:\/\/[a-z\d.[\]:-]+(?:\/[\w./~%@:+,=&?#-]*)?)(\$request_uri)?$/i.exec(
    value,
  );
  const [, url = "", path] = match ?? [];
  if (!URL.canParse(url)) {
    throw new UnfitValue("expected an http or https URL, with at most $request_uri at its end");
  }
  return { code, url, keepsPath: path !== undefined };
}
