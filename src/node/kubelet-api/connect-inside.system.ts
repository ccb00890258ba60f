import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** The stream is a socket, so that either side can half-close it and the other is told. */
const socat = ["socat", "-d", "-d", "-t", "86400", "FD:3,shut-down"];
const loopbacks = ["TCP4:127.0.0.1", "TCP6:[::1]"];

/** Connects to a port on the loopback of whichever family the server listens on. */
export async function connectInside(namespace: string | undefined, port: number): Promise<Duplex> {
  const enter = namespace === undefined ? [] : ["nsenter", `--net=${namespace}`, "--"];
  const refusals: string[] = [];
  for (const loopback of loopbacks) {
    const found = await connected([...enter, ...socat, `${loopback}:${port}`]);
    if (typeof found !== "string") return found;
    refusals.push(found);
  }
  throw new Error(`nothing answers on the pod's loopback: ${refusals.join("; ")}`);
}

/** Runs socat; returns the connection, or in words why there is none. */
async function connected([program = "", ...args]: readonly string[]): Promise<Duplex | string> {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const [, , report, socket] = child.stdio;
  const { promise, resolve } = Promise.withResolvers<Duplex | string>();
  let said = "";
  report?.setEncoding("utf8");
  report?.on("data", (text: string) => {
    said = `${said}${text}`.slice(-2000);
    if (said.includes("starting data transfer loop") && socket instanceof Socket) resolve(socket);
  });
  child.once("error", (error) => resolve(error.message));
  // The end of the report is used, since the child's "close" event waits until the socket has been read to
  // its end.
  report?.once("close", () => resolve(/ E (.*)/.exec(said)?.[1] ?? "it did not connect"));
  if (socket instanceof Socket) {
    socket.allowHalfOpen = true;
    socket.once("close", () => child.kill("SIGKILL"));
  }
  const found = await promise;
  if (found !== socket) socket?.destroy();
  return found;
}
