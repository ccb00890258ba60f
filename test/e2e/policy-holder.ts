// Holds one connection to a tandem-echo and asks on it again and again. Prints a line for each answer, and
// `ended` when the other side, or somebody in between, has ended it.

import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const [host = "", port = ""] = process.argv.slice(2);
const socket = connect({ host, port: Number(port) });
const over = new AbortController();
socket.on("data", () => process.stdout.write("answer\n"));
for (const event of ["error", "close"]) {
  socket.on(event, () => {
    if (!over.signal.aborted) process.stdout.write("ended\n");
    over.abort();
  });
}
while (!over.signal.aborted) {
  socket.write("GET /hostname HTTP/1.1\r\nHost: pod\r\n\r\n");
  await sleep(100);
}
