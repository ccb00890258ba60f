// tandem-echo: a server that tells its clients' addresses, and a client that asks others, for use in pods.
import { writeSync } from "node:fs";
import { runEcho } from "./run.ts";

void start();

async function start(): Promise<void> {
  const code = await runEcho(process.argv.slice(2), {
    environment: process.env,
    write: (text) => print(1, text),
    complain: (text) => print(2, text),
  });
  process.exit(code);
}

/** Writes the whole text synchronously, before the program ends. */
function print(descriptor: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    rest = rest.subarray(writeSync(descriptor, rest));
  }
}
