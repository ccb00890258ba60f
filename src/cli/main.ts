// The entry point of bin/tandem.

import type * as Http from "node:http";
import { runCommandLine } from "../base/command-line/run-command-line.ts";
import { stopOnSignals } from "../base/program/signals.ts";
import { tandem } from "./commands.ts";

// The launcher sets the compile cache for this process alone; programs started from here have their own.
delete process.env["NODE_COMPILE_CACHE"];

// Importing node:http reads all its exports, and these three load a second HTTP client: 5 MB or more.
const http: Partial<typeof Http> = process.getBuiltinModule("node:http");
for (const name of ["WebSocket", "CloseEvent", "MessageEvent"] as const) delete http[name];

// EPIPE is no failure: the reader, such as `head`, has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const { signal } = stopOnSignals();
const { argv, env, stdout, stderr } = process;
process.exit(await runCommandLine(tandem, { argv: argv.slice(2), env, stdout, stderr, signal }));
