// Where bin/tandem starts.

import type * as Http from "node:http";
import { runCommandLine } from "../base/command-line/run-command-line.ts";
import { stopOnSignals } from "../base/program/signals.ts";
import { tandem } from "./commands.ts";

// The launcher sets it for this process; programs that are started from here have their own caches.
delete process.env["NODE_COMPILE_CACHE"];

// Importing node:http asks for all that it exports, and these load a second client: 5 MB or more.
const http: Partial<typeof Http> = process.getBuiltinModule("node:http");
for (const name of ["WebSocket", "CloseEvent", "MessageEvent"] as const) delete http[name];

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const { signal } = stopOnSignals();
const { argv, env, stdout, stderr } = process;
process.exit(await runCommandLine(tandem, { argv: argv.slice(2), env, stdout, stderr, signal }));
