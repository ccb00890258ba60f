// Connections to pods of this node, for an API server that has no route to them: `/dial/NAMESPACE/POD` with the
// address and the port in the query. The agent connects only to addresses that the pod network gave to that pod,
// so that not even the API server reaches the node's own services, its loopback or its cloud this way.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Address } from "../../base/net/address.ts";
import { messageOf } from "../../base/program/errors.ts";
import { dialProtocol, joinConnections } from "../../base/streaming/dial.ts";
import type { UpgradeRequest } from "../../base/streaming/handshake.ts";
import type { PodContainers } from "../pods/pods.ts";
import { ServeError } from "./error.ts";
import type { PodTarget } from "./target.ts";

/** The longest wait for a pod to accept the connection. */
const patienceMs = 10_000;

export async function serveDial(
  target: PodTarget,
  { request, socket, head }: UpgradeRequest,
  pods: PodContainers,
): Promise<void> {
  if ((request.headers.upgrade ?? "").toLowerCase() !== dialProtocol) {
    throw new ServeError(400, `Cannot dial: the request does not ask for ${dialProtocol}`);
  }
  const connection = await connected(await placeOf(target, pods));
  if (socket.destroyed) {
    connection.destroy();
    return;
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${dialProtocol}\r\n\r\n`,
  );
  if (head.length > 0) connection.write(head);
  joinConnections(socket, connection);
}

interface Place {
  readonly address: Address;
  readonly port: number;
}

/** Returns where to connect to; throws unless the address is one of the pod's own. */
export async function placeOf(
  { namespace, pod, query }: PodTarget,
  pods: Pick<PodContainers, "networkOf">,
): Promise<Place> {
  const text = query.get("address") ?? "";
  const port = Number(query.get("port"));
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ServeError(400, `Cannot dial: "${query.get("port") ?? ""}" is not a port`);
  }
  const network = await pods.networkOf({ namespace, name: pod });
  const address = Address.tryParse(text);
  const own = network?.addresses.find((each) => address?.equals(each) === true);
  if (own === undefined || own.isLoopback || own.isLinkLocal || own.isUnspecified) {
    throw new ServeError(403, `Cannot dial "${text}": it is not an address of the pod "${pod}"`);
  }
  return { address: own, port };
}

async function connected({ address, port }: Place): Promise<Socket> {
  const connection = connect({ host: String(address), port, noDelay: true });
  try {
    await once(connection, "connect", { signal: AbortSignal.timeout(patienceMs) });
    return connection;
  } catch (error) {
    connection.once("error", () => undefined).destroy();
    throw new ServeError(503, `Cannot connect to ${address} port ${port}: ${messageOf(error)}`);
  }
}
