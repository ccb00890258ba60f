// Both ends of a stream: `node idle-stream.ts serve ADDRESS` says something twice a second to whoever asks,
// `node idle-stream.ts read URL` prints what it hears, and why it hears no more.

import { once } from "node:events";
import { createServer } from "node:http";
import { staticCredentials } from "../../src/api/client/access.ts";
import { connect } from "../../src/api/client/connect.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { reasonOf } from "../../src/base/program/errors.ts";

const port = 8080;

async function serve(address: string): Promise<void> {
  const server = createServer((_, response) => {
    response.write("tick\n");
    const timer = setInterval(() => response.write("tick\n"), 500);
    response.once("close", () => clearInterval(timer));
  });
  server.listen(port, address);
  await once(server, "listening");
  process.stdout.write("serving\n");
}

async function read(address: string): Promise<void> {
  const server = new URL(`http://${address}:${port}`);
  const access = { server, credentials: staticCredentials({}), namespace: "default" };
  const parts = { component: "test", clock: systemClock, random: systemRandom };
  const { transport } = connect(access, parts);
  try {
    const { body } = await transport.open({ method: "GET", path: "/watch" });
    for await (const chunk of body) process.stdout.write(chunk);
    process.stdout.write("ended\n");
  } catch (error) {
    process.stdout.write(`${reasonOf(error)}\n`);
  }
}

const [, , role = "", address = ""] = process.argv;
await (role === "serve" ? serve(address) : read(address));
