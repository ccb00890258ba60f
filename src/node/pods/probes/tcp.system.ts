import { once } from "node:events";
import { connect } from "node:net";

interface TcpTarget {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** Connects to the port; rejects when nothing accepts the connection. */
export async function askTcp({ host, port, signal }: TcpTarget): Promise<void> {
  const socket = connect({ host, port, signal });
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}
