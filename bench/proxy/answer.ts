// Answers every connection with the address that it came to.
//
//   node answer.ts ADDRESS:PORT...

import { once } from "node:events";
import { createServer } from "node:net";

/** Printed once it answers. */
export const readyText = "answering";

if (import.meta.main) {
  for (const place of process.argv.slice(2)) {
    const [host = "", port = ""] = place.split(":");
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.end(host);
    });
    // Whoever measures connects faster than this accepts.
    server.listen({ host, port: Number(port), backlog: 4096 });
    await once(server, "listening");
  }
  process.stdout.write(`${readyText}\n`);
}
