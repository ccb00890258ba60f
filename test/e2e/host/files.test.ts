import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { systemFiles } from "../../../src/base/host/files.system.ts";
import { commands } from "./sandbox.ts";

const scratch = await mkdtemp(join(tmpdir(), "tandem-files-"));
after(() => rm(scratch, { recursive: true }));

const kills = process.env["TANDEM_SOAK"] === undefined ? 8 : 100;

test("a writer that is killed leaves the file whole, old or new", {
  timeout: 300_000,
}, async () => {
  const path = join(scratch, "state");
  let last = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { writer, written } = await startWriter(path, last);
    // Killed at another moment of its work each time.
    await setTimeout(kill % 10);
    writer.kill("SIGKILL");
    await writer.exited;

    const [number = "", filling = ""] = (await systemFiles.read(path))?.split(" ") ?? [];
    assert.equal(filling, "x".repeat(fillingLength), "the file is whole");
    last = Number(number);
    const reported = written.at(-1) ?? 0;
    assert(
      last === reported || last === reported + 1,
      `${last} is there, ${reported} was reported`,
    );
  }
  await systemFiles.removeUnfinishedWrites(scratch);
  assert.deepEqual(await systemFiles.list(scratch), ["state"]);
});

const fillingLength = 200_000;

/** Writes ever higher numbers, and reports each once it is written. */
async function startWriter(path: string, last: number) {
  const script = `
    import { systemFiles } from ${JSON.stringify(import.meta.resolve("../../../src/base/host/files.system.ts"))};
    for (let number = ${last + 1}; ; number++) {
      await systemFiles.write(process.argv[1], number + " " + "x".repeat(${fillingLength}));
      console.log(number);
    }`;
  const written: number[] = [];
  const first = Promise.withResolvers<void>();
  const command = [process.execPath, "--input-type=module", "-e", script, "--", path];
  const writer = await commands.start(command, {
    diesWithParent: true,
    onLine: (line) => {
      written.push(Number(line));
      first.resolve();
    },
  });
  void writer.exited.then(() => first.reject(new Error("the writer has ended")));
  await first.promise;
  return { writer, written };
}
