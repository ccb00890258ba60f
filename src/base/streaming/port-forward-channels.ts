// port-forward as older WebSocket clients speak it: the ports are in the query, and each has one connection with
// a channel for data and one for errors.
import { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { WebSocket } from "ws";
import { ChannelSocket } from "./channel-socket.ts";
import { UpgradeError } from "./handshake.ts";

type Connect = (port: number) => Promise<Duplex>;

export const channelProtocols = ["v4.channel.k8s.io", "v4.base64.channel.k8s.io", ""];

/** The most ports of one connection: a channel has one byte, and each port two channels. */
const mostPorts = 127;

/** Returns the ports that a request names. */
export function portsIn(query: URLSearchParams): readonly number[] {
  const words = ["port", "ports"].flatMap((name) => query.getAll(name));
  const ports = words.flatMap((word) => word.split(",")).map(Number);
  const isPort = (port: number) => Number.isInteger(port) && port > 0 && port < 65_536;
  if (ports.length > 0 && ports.length <= mostPorts && ports.every(isPort)) return ports;
  const state = `query parameter "port" is ${JSON.stringify(words.join(","))}`;
  throw new UpgradeError(`Cannot forward ports: ${state}, and must have 1 to ${mostPorts} ports`);
}

export async function serveChannels(
  { webSocket, protocol }: { readonly webSocket: WebSocket; readonly protocol: string },
  connect: Connect,
  { ports }: { readonly ports: readonly number[] },
): Promise<void> {
  const socket = new ChannelSocket(webSocket, { isText: protocol.includes("base64") });
  const inputs = new Map<number, Duplex>();
  socket.onMessage((channel, data) => {
    const input = inputs.get(channel);
    if (input === undefined || data.length === 0 || input.push(data)) return undefined;
    return new Promise((resolve) => {
      input.once("drained", resolve);
      void socket.closed.then(resolve);
    });
  });
  const forwards = ports.map(async (port, index) => {
    const [data, errors] = [2 * index, 2 * index + 1];
    const client = clientOf(socket, data);
    inputs.set(data, client);
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    for (const channel of [data, errors]) socket.send(channel, number);
    try {
      const target = await connect(port);
      await Promise.all([pipeline(client, target), pipeline(target, client)]);
    } catch (cause) {
      const state = cause instanceof Error ? cause.message : String(cause);
      socket.send(errors, Buffer.from(`Cannot forward port ${port}: ${state}`));
    }
  });
  await Promise.race([Promise.all(forwards), socket.closed]);
  for (const input of inputs.values()) input.destroy();
  socket.close();
  await socket.closed;
}

/** Returns the client's side of one connection. */
function clientOf(socket: ChannelSocket, channel: number): Duplex {
  const client: Duplex = new Duplex({
    read: () => void client.emit("drained"),
    write: (chunk: Buffer, _encoding, done) => socket.send(channel, chunk, done),
  });
  return client;
}
