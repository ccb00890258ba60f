import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FakeCommands } from "../../../base/host/command.fake.ts";
import { systemRandom } from "../../../base/host/random.system.ts";
import { FakeNetwork } from "../testing/network.fake.ts";
import { writeRecord } from "./record.ts";
import { Sandboxes } from "./sandboxes.system.ts";

for (const [what, isReady] of [
  ["half made by a killed agent", false],
  ["that was made", true],
] as const) {
  test(`[CNI-6] before the network of a sandbox ${what} is undone, its plugins ${isReady ? "go on" : "are ended"}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "tandem-sandboxes-"));
    const path = join(directory, "uid-1", "net");
    await mkdir(join(directory, "uid-1"));
    const namespaces = { network: path };
    const of = { id: "left", uid: "uid-1", namespace: "default", name: "web" };
    await writeFile(
      join(directory, "uid-1", "sandbox.json"),
      writeRecord({ ...of, isReady, namespaces, addresses: [] }),
    );
    const plugin = spawn("sleep", ["600"], { env: { ...process.env, CNI_NETNS: path } });
    try {
      await once(plugin, "spawn");
      const network = new FakeNetwork();
      const hadEnded: boolean[] = [];
      network.detach = async () => {
        // A process that has ended but was not waited for yet has no environment.
        const environment = await readFile(`/proc/${plugin.pid}/environ`, "utf8").catch(() => "");
        hadEnded.push(!environment.includes(path));
        return [];
      };
      const commands = new FakeCommands();
      const sandboxes = new Sandboxes({
        commands,
        network,
        random: systemRandom,
        directory,
        domain: "cluster.local",
      });
      await sandboxes.remove("uid-1");
      assert.deepEqual(hadEnded, [!isReady]);
      assert.equal(await sandboxes.find("uid-1"), undefined);
    } finally {
      plugin.kill("SIGKILL");
      await rm(directory, { recursive: true });
    }
  });
}
