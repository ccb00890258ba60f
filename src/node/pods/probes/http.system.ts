import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { HTTPGetAction } from "../../../api/types/core.ts";

interface HttpTarget {
  /** An IP address or a host name. */
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

const defaultHeaders = { "user-agent": "tandem-probe", accept: "*/*", connection: "close" };

/** Sends the request; any status from 200 to 399 is a success. */
export async function askHttp(action: HTTPGetAction, target: HttpTarget): Promise<void> {
  const { path = "/", scheme = "HTTP", httpHeaders = [] } = action;
  const { host, port, signal } = target;
  const send = scheme.toUpperCase() === "HTTPS" ? httpsRequest : httpRequest;
  const given = httpHeaders.map(({ name, value }) => [name.toLowerCase(), value]);
  const request = send({
    host,
    port,
    path: path.startsWith("/") ? path : `/${path}`,
    headers: { ...defaultHeaders, ...(Object.fromEntries(given) as Record<string, string>) },
    agent: false,
    // Certificates are not verified, as in Kubernetes: they are rarely issued for a pod's IP address.
    rejectUnauthorized: false,
    signal,
  });
  request.on("error", ofNoInterest);
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", ofNoInterest);
  response.destroy();
  const { statusCode = 0 } = response;
  if (statusCode >= 200 && statusCode < 400) return;
  throw new Error(`the answer was HTTP status ${statusCode}`);
}

/** Ignores errors: those before the response reach the caller of `once`, later ones do not matter. */
function ofNoInterest(): void {
  return undefined;
}
