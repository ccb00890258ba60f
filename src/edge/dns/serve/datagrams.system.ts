import { createSocket, type RemoteInfo, type Socket, type SocketType } from "node:dgram";
import { once } from "node:events";
import { ListenError } from "../../../base/program/listen.system.ts";
import type { Log } from "../../../base/program/log.ts";
import type { HostPort } from "../../../base/program/network-option-types.ts";
import type { Respond } from "./respond.ts";

/** The socket buffers' size, for bursts of queries; the kernel may grant less. */
const bufferBytes = 4 * 1024 * 1024;

/** Answers UDP queries at the address until the socket is closed. */
export async function answerDatagrams(
  { host, port }: HostPort,
  { respond, log }: { respond: Respond; log: Log },
): Promise<Socket> {
  const type: SocketType = host.includes(":") ? "udp6" : "udp4";
  const family = type === "udp6" ? 6 : 4;
  const socket = createSocket({
    type,
    ipv6Only: type === "udp6",
    recvBufferSize: bufferBytes,
    sendBufferSize: bufferBytes,
    // No lookup: answers go to the addresses that queries came from. Node's own lookup would defer each
    // answer to a later turn of the event loop, which takes 8 % more time.
    lookup: (address, _, callback) => callback(null, address, family),
  });
  const send = (answer: Buffer, { port: to, address }: RemoteInfo): void => {
    try {
      socket.send(answer, 0, answer.length, to, address);
    } catch (error) {
      // The socket was closed meanwhile, or the client's port is 0.
      log.debug("Cannot send an answer", { address, error });
    }
  };
  socket.on("message", (message, from) => {
    const answer = respond(message, { protocol: "udp", from });
    if (answer instanceof Promise) answer.then((late) => late && send(late, from), unexpected(log));
    else if (answer !== undefined) send(answer, from);
  });
  try {
    const listening = once(socket, "listening");
    socket.bind({ address: host, port });
    await listening;
  } catch (error) {
    socket.close();
    throw new ListenError({ host, port }, error);
  }
  socket.on("error", (error) => log.debug("Cannot send an answer", { error }));
  return socket;
}

function unexpected(log: Log): (error: unknown) => void {
  return (error) => log.error("Cannot answer a question", { error });
}
