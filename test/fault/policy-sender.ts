// Sends a datagram to each address every millisecond until its input ends, then tells how many it sent and
// how many answers came.

import { createSocket } from "node:dgram";
import { setTimeout as sleep } from "node:timers/promises";

const [port = "", ...addresses] = process.argv.slice(2);
let sent = 0;
let answers = 0;
const over = new AbortController();
process.stdin.on("end", () => over.abort());
process.stdin.resume();

const sockets = addresses.map((address) => {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("message", () => answers++);
  // A refusal is as good as silence.
  socket.on("error", () => undefined);
  return { socket, address };
});
const started = Date.now();
while (!over.signal.aborted) {
  // Whoever was held up makes up for it, so that there are a thousand a second all the same.
  for (const due = Date.now() - started; sent < due; sent++) {
    for (const { socket, address } of sockets) socket.send("hello", Number(port), address);
  }
  await sleep(1);
}
await sleep(500);
process.stdout.write(`${JSON.stringify({ sent, answers })}\n`);
process.exit(0);
