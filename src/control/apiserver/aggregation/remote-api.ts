// A group and version that another server answers: the connections to it, and the identity that it is told.

import { once } from "node:events";
import {
  type Agent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from "node:http";
import type { Duplex } from "node:stream";
import type { APIService } from "../../../api/types/apiregistration.ts";
import type { User } from "../access.ts";
import type { FrontProxy } from "../security/front-proxy.ts";
import type { Reach } from "../streaming/reach.ts";
import { connectSecured, keepingAgent } from "../streaming/secured-agent.system.ts";

export interface RemoteApi {
  readonly group: string;
  readonly version: string;
  readonly service: APIService;
  readonly agent: Agent;
  /** The name of the server in its certificate, with the port. */
  readonly host: string;
  /** Opens a connection of its own, for what takes it over. */
  connect(): Promise<Duplex>;
}

export function openRemoteApi(
  service: APIService,
  { reach, frontProxy }: { readonly reach: Reach; readonly frontProxy: FrontProxy },
): RemoteApi {
  const { group = "", version = "", service: place = {}, caBundle } = service.spec;
  const { namespace = "", name = "", port = 443 } = place;
  const servername = `${name}.${namespace}.svc`;
  const secured = {
    servername,
    rejectUnauthorized: service.spec.insecureSkipTLSVerify !== true,
    ca: caBundle === undefined ? undefined : Buffer.from(caBundle, "base64").toString(),
  };
  const connect = async () => {
    const { certificate: cert, key } = await frontProxy.client();
    return await connectSecured(
      () => reach.connect(reach.backendOf({ namespace, name }, String(port))),
      { ...secured, cert, key },
    );
  };
  return {
    group,
    version,
    service,
    agent: keepingAgent(connect),
    host: `${servername}:${port}`,
    connect,
  };
}

/** Returns the headers that tell a server who asks. */
export function identityHeaders({
  name,
  uid,
  groups,
  extra = {},
}: User): Record<string, string | string[]> {
  const extras = Object.entries(extra).map(([key, values]): [string, string[]] => [
    `x-remote-extra-${encodeURIComponent(key.toLowerCase())}`,
    values.map(headerText),
  ]);
  return {
    "x-remote-user": headerText(name),
    ...(uid === undefined || uid === "" ? {} : { "x-remote-uid": headerText(uid) }),
    ...(groups.length === 0 ? {} : { "x-remote-group": groups.map(headerText) }),
    ...Object.fromEntries(extras),
  };
}

/** Returns text as a header carries it: its UTF-8 bytes. Line breaks cannot be in one. */
function headerText(text: string): string {
  return Buffer.from(text.replaceAll(/[\r\n\0]/g, "")).toString("latin1");
}

const probing: User = { name: "system:kube-aggregator", groups: ["system:masters"] };
const longestDocument = 8 * 1024 * 1024;

/** Gets a document in the server's own name; rejects unless it is there. */
export async function getDocument(
  api: Pick<RemoteApi, "agent" | "host">,
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs);
  const headers: OutgoingHttpHeaders = {
    host: api.host,
    accept: "application/json",
    ...identityHeaders(probing),
  };
  const outgoing = httpRequest({ agent: api.agent, path, headers, signal }).end();
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += (chunk as Buffer).length;
    if (size > longestDocument)
      throw new Error(`the answer is longer than ${longestDocument} bytes`);
    chunks.push(chunk as Buffer);
  }
  const { statusCode = 0 } = answer;
  if (statusCode < 200 || statusCode > 299)
    throw new Error(`bad status from ${path}: ${statusCode}`);
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}
