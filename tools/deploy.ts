// Writes the manifests of deploy/ from the tables in tools/deploy; what is written by hand there stays.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { manifests } from "./deploy/manifests.ts";

const target = join(import.meta.dirname, "../deploy");
for (const folder of ["bases", "crds", "chart", "monitoring"]) {
  rmSync(join(target, folder), { recursive: true, force: true });
}
for (const [path, content] of await manifests()) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), content);
}
