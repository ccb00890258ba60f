import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { installServiceContract } from "./testing/contract.ts";

const folders: string[] = [];
after(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

installServiceContract("SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tandem-install-service-"));
  folders.push(folder);
  return `sqlite:${join(folder, "database")}`;
});
