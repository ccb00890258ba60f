// Which requests are answered at all: those that a browser sends for our own page, and those of programs that
// name this server as it is. Other web pages, which a browser lets reach loopback, are refused.

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The header that requests with an effect carry; pages of other origins cannot send it unasked. */
export const ownHeader = "x-tandem-dashboard";

/** Returns why a request is refused, if it is; `hosts` are the names and ports that are this server. */
export function refusalOf(asked: Asked, hosts: ReadonlySet<string>): Refusal | undefined {
  const { method, headers } = asked;
  const host = text(headers["host"]);
  // A name that an attacker has pointed at loopback (DNS rebinding) is not among the hosts.
  if (!hosts.has(host)) return refused(421, `Cannot answer for host ${JSON.stringify(host)}`);
  const origin = headers["origin"];
  if (origin !== undefined && text(origin) !== `http://${host}`) {
    return refused(403, "Cannot answer: the request is of another origin");
  }
  const site = text(headers["sec-fetch-site"]);
  const isForeign = site !== "" && site !== "same-origin" && site !== "none";
  if (isForeign && !isLink(asked)) {
    return refused(403, "Cannot answer: the request is of another site");
  }
  if (method !== "GET" && method !== "HEAD" && method !== "POST") {
    return refused(405, `Cannot answer ${method}: only GET, HEAD and POST are known`);
  }
  if (method === "POST" && text(headers[ownHeader]) === "") {
    return refused(403, `Cannot answer: the header ${ownHeader} is missing`);
  }
  return undefined;
}

/** Headers of every answer: nothing is framed, kept, sniffed, or loaded from or told to anybody else. */
export const answerHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "cache-control": "no-store",
};

/** Whether somebody followed a link to the page, in a window of its own: that shows no data by itself. */
function isLink({ method, path, headers }: Asked): boolean {
  const isDocument = text(headers["sec-fetch-dest"]) === "document";
  return method === "GET" && path === "/" && isDocument;
}

function text(header: string | string[] | undefined): string {
  return typeof header === "string" ? header : "";
}

function refused(status: number, message: string): Refusal {
  return { status, message };
}
