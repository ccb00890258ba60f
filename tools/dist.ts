// Builds the packages of this architecture into dist/ (or the folder that is named). Their bytes depend on the
// commit alone: files have its time, or that of SOURCE_DATE_EPOCH.

import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemCommands } from "../src/base/host/command.system.ts";
import { buildDist } from "./dist/build-dist.ts";

const root = join(import.meta.dirname, "..");
const out = resolve(process.argv[2] ?? join(root, "dist"));
const commands = systemCommands();
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await buildDist({ root, out, epoch: await timeOfCommit(), compression: "gzip", commands });
const { stdout } = await commands.run([
  "sh",
  "-c",
  `cd "$1" && ls -l && cat SHA256SUMS`,
  "sh",
  out,
]);
process.stdout.write(stdout);

async function timeOfCommit(): Promise<number> {
  const given = process.env["SOURCE_DATE_EPOCH"];
  if (given !== undefined) return Number(given);
  const log = await commands.run(["git", "-C", root, "log", "-1", "--format=%ct"]);
  return Number(log.stdout);
}
