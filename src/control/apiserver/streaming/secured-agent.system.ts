// Connections over TLS to servers of the cluster, kept for the next request.
import { once } from "node:events";
import { Agent } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectSecurely, type SecureContextOptions } from "node:tls";

export interface SecuredOptions extends Pick<SecureContextOptions, "cert" | "key"> {
  /** The name or address in the server's certificate. */
  readonly servername: string;
  /** The authorities (PEM) of the server; absent: those that the machine trusts. */
  readonly ca?: string | undefined;
  readonly rejectUnauthorized?: boolean;
}

/** The connections to one server: a slow one must not take all descriptors. */
const connectionsPerServer = 500;
const idleConnections = 8;
const idleMs = 60_000;

/** Opens a connection and begins TLS on it; resolves when the server has proved itself. */
export async function connectSecured(
  connect: () => Promise<Duplex>,
  { servername, ca, ...rest }: SecuredOptions,
): Promise<Duplex> {
  const socket = await connect();
  const secured = connectSecurely({
    ...rest,
    socket,
    host: servername,
    // TLS names no addresses; a certificate is checked against `host` then.
    ...(isIP(servername) === 0 ? { servername } : {}),
    ALPNProtocols: ["http/1.1"],
    ...(ca === undefined ? {} : { ca }),
  });
  try {
    await once(secured, "secureConnect");
    return secured;
  } catch (error) {
    secured.once("error", () => undefined).destroy();
    socket.destroy();
    throw error;
  }
}

/** Makes an agent that keeps connections; a request waits while a new one is being made. */
export function keepingAgent(connect: () => Promise<Duplex>): Agent {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connectionsPerServer,
    maxFreeSockets: idleConnections,
    timeout: idleMs,
  });
  agent.createConnection = (_options, callback) => {
    void open(connect, callback);
    return undefined;
  };
  return agent;
}

type Callback = ((error: Error | null, socket: Duplex) => void) | undefined;

async function open(connect: () => Promise<Duplex>, callback: Callback): Promise<void> {
  try {
    callback?.(null, await connect());
  } catch (error) {
    callback?.(error as Error, undefined as never);
  }
}
