import { Duplex } from "node:stream";

/**
 * The connection as one that ends when it breaks. The streams that SPDY makes of a connection would all
 * fail with its error, those that nobody listens to included, and with them the agent.
 */
export function quietSocket(socket: Duplex): Duplex {
  const quiet = new Duplex({
    read: () => void socket.resume(),
    write: (chunk, _encoding, done) => {
      if (socket.writable) socket.write(chunk, () => done());
      else done();
    },
    final: (done) => void socket.end(() => done()),
    destroy: (_error, done) => {
      socket.destroy();
      done(null);
    },
  });
  socket.on("data", (chunk: Buffer) => {
    if (!quiet.push(chunk)) socket.pause();
  });
  socket.once("end", () => quiet.push(null));
  socket.once("close", () => quiet.destroy());
  return quiet;
}
