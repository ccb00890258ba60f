// Containers that share a volume, of which one changes links while another is being started.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { VolumeMount } from "../../src/api/types/core.ts";
import { mountsOf } from "../../src/node/pods/containers/mounts.ts";
import { slotsOf } from "../../src/node/pods/decide/slots.ts";
import { ContainerError } from "../../src/node/runtime/error.ts";
import { type Node, openNode } from "../e2e/containers.fixture.ts";

const escapes = process.env["TANDEM_SOAK"] === "1" ? 1000 : 100;
const atOnce = 4;

describe("a volume that containers share", { timeout: 1_800_000 }, () => {
  let node: Node;
  let outside: string;
  before(async () => {
    node = await openNode();
    outside = join(node.directory, "outside");
    await mkdir(outside);
    await writeFile(join(outside, "secret"), "");
  });
  after(() => node[Symbol.asyncDispose]());

  async function volume(name: string): Promise<string> {
    const path = join(node.directory, name);
    await mkdir(path, { mode: 0o777 });
    return path;
  }

  /** What a container finds at a part of the volume; nothing when it may not be started. */
  async function seen(path: string, mount: Partial<VolumeMount>): Promise<string | undefined> {
    const volumeMounts = [{ name: "data", mountPath: "/data", ...mount }];
    const [slot] = slotsOf({ containers: [{ name: "main", volumeMounts }] });
    assert.ok(slot);
    const volumeOf = () => ({ path, isReadOnly: false });
    const mounts = mountsOf(slot, { volumeOf, environment: {}, files: [] });
    const command = ["sh", "-c", "ls /data; touch /data/touched"];
    const spec = node.spec({ command, mounts });
    try {
      await node.containers.start(spec);
    } catch (error) {
      // The runtime itself finds that a folder is gone by then.
      if (error instanceof ContainerError) return undefined;
      throw error;
    }
    await node.containers.exited(spec.id);
    const said = await node.logOf(spec.id);
    await node.containers.remove(spec.id);
    return said;
  }

  test(`[SEC-1] lets nobody out by swapping a folder and a link, ${escapes} times`, async (t) => {
    const path = await volume("swapped");
    await mkdir(join(path, "x"));
    await writeFile(join(path, "x/inside"), "");
    await mkdir(join(path, "y"));
    await symlink(outside, join(path, "absolute"));
    await symlink("../outside", join(path, "relative"));
    const script = new URL("swapper.ts", import.meta.url).pathname;
    const swappers = [
      [path, "x", "absolute"],
      [path, "y", "relative"],
    ].map((words) =>
      spawn(process.execPath, [script, ...words], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    t.after(() => swappers.map((swapper) => swapper.kill("SIGKILL")));
    await Promise.all(swappers.map((swapper) => once(swapper.stdout, "data")));
    const subPaths = ["x", "y", "x/made/here", "y/made"];
    const found: (string | undefined)[] = [];
    for (let begun = 0; begun < escapes; begun += atOnce) {
      const some = subPaths.map((subPath) => seen(path, { subPath }));
      found.push(...(await Promise.all(some)));
    }
    assert.deepEqual(await readdir(outside), ["secret"], "nothing is written outside");
    assert.equal(found.filter((said) => said?.includes("secret")).length, 0, "nothing is seen");
    assert.ok(
      found.some((said) => said !== undefined),
      "some were started",
    );
  });

  test("[SEC-1] makes no folder through a link, whatever the link leads to", async () => {
    const path = await volume("linked");
    await symlink(outside, join(path, "absolute"));
    await symlink("../outside", join(path, "relative"));
    await symlink("../outside/none", join(path, "nothing"));
    await symlink("none", join(path, "dangling"));
    await symlink("loop", join(path, "loop"));
    await symlink("/proc/self/root", join(path, "magic"));
    for (const name of ["absolute", "relative", "nothing", "dangling", "loop", "magic"]) {
      for (const subPath of [name, `${name}/some/folder`]) {
        assert.equal(await seen(path, { subPath }), undefined, subPath);
      }
    }
    assert.deepEqual(await readdir(outside), ["secret"]);
    assert.ok(!(await readdir(path)).includes("none"));
  });

  test("[SEC-1] may have links of its own that lead to its own", async () => {
    const path = await volume("own");
    await mkdir(join(path, "folder/deep"), { recursive: true });
    await writeFile(join(path, "folder/deep/inside"), "");
    await symlink("folder/deep", join(path, "link"));
    await symlink("../folder/deep", join(path, "folder/back"));
    assert.equal(await seen(path, { subPath: "link" }), "inside\n");
    assert.equal(await seen(path, { subPath: "folder/back" }), "inside\ntouched\n");
    assert.equal(await seen(path, { subPath: "link/new/one" }), "");
    assert.deepEqual(await readdir(join(path, "folder/deep/new/one")), ["touched"]);
  });

  test("[SEC-1] that was replaced by a link is not mounted", async () => {
    await symlink(outside, join(node.directory, "replaced"));
    assert.equal(await seen(join(node.directory, "replaced"), {}), undefined);
  });
});
