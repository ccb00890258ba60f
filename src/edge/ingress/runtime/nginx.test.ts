import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { systemClock } from "../../../base/host/clock.system.ts";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { statusSocket } from "../render/nginx.ts";
import { Nginx } from "./nginx.ts";

class SlowFiles extends FakeFiles {
  gate: Promise<void> = Promise.resolve();

  override async remove(path: string): Promise<void> {
    await this.gate;
    await super.remove(path);
  }
}

/** A clock with real sleeps, since the status socket is a real one whose answers take time. */
class WaitingClock extends FakeClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }
}

test("a change that comes while nginx is started again does not start another", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-nginx-"));
  const status = createServer((_, response) => response.end("id"));
  t.after(async () => {
    status.close();
    await rm(directory, { recursive: true });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  status.listen(statusSocket(directory), resolve);
  await promise;
  const [commands, files, clock] = [new FakeCommands(), new SlowFiles(), new WaitingClock()];
  const log = createLog({ format: "json", write: () => undefined });
  let crashes = 0;
  const onCrash = () => void (crashes += 1);
  const nginx = new Nginx({ directory, commands, files, clock, log, drainMs: 1_000, onCrash });

  await nginx.startOrReload("id");
  const gate = Promise.withResolvers<void>();
  files.gate = gate.promise;
  commands.started[0]?.exit({ code: 1 });
  await clock.advance(1_000);
  const changed = nginx.startOrReload("id");
  gate.resolve();
  await changed;
  assert.equal(crashes, 1);
  assert.equal(commands.started.length, 2);
});
