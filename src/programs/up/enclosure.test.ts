import assert from "node:assert/strict";
import { chmod, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Enclosure } from "./enclosure.ts";

test("an enclosure that ends before anybody listens is heard to the end", {
  timeout: 60_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-enclosure-"));
  try {
    const unshare = join(directory, "unshare");
    await writeFile(unshare, "#!/bin/sh\necho last words\nexit 1\n");
    await chmod(unshare, 0o700);
    await using socket = await open("/dev/null");
    const enclosure = await Enclosure.open({
      command: ["true"],
      environment: { PATH: directory },
      users: "same",
      descriptor: socket.fd,
      log: join(directory, "log"),
    });
    await enclosure.exited;
    enclosure.close();
    const reports: string[] = [];
    for await (const report of enclosure.reports) reports.push(report);
    assert.deepEqual(reports, ["last words"]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
