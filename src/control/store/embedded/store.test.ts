import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeContract } from "../testing/contract.ts";
import { openEmbedded } from "./open.system.ts";

storeContract("embedded", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-store-"));
  return {
    open: () => openEmbedded({ directory }),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
});
