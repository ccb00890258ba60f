// Tries connections all at once, from wherever it is run: rows come by standard input, and what became of
// each goes to standard output.

import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { text } from "node:stream/consumers";

export interface ProbeRow {
  readonly address: string;
  readonly port: number;
  readonly protocol: "tcp" | "udp";
}

const patienceMs = 600;

/** Whether somebody answers. */
function probe({ address, port, protocol }: ProbeRow): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const close = protocol === "tcp" ? tcp() : udp();
  setTimeout(() => resolve(false), patienceMs);
  return promise.finally(close);

  function tcp(): () => void {
    const socket = connect({ host: address, port });
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
    return () => socket.destroy();
  }

  function udp(): () => void {
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    socket.on("message", () => resolve(true)).on("error", () => resolve(false));
    socket.send("hello", port, address);
    return () => socket.close();
  }
}

if (import.meta.main) {
  const rows = JSON.parse(await text(process.stdin)) as readonly ProbeRow[];
  process.stdout.write(JSON.stringify(await Promise.all(rows.map(probe))));
}
