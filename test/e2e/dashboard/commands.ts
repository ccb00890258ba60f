// The commands below tables: each is copied by its button, and prints something when it is run.

import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemCommands } from "../../../src/base/host/command.system.ts";
import type { Stage } from "./stage.ts";
import { views } from "./views.ts";

const launcher = new URL("../../../bin/tandem", import.meta.url).pathname;
/** Commands that take long or go on for ever; other tests run what they do. */
const long = /^tandem check$|^kubectl logs --follow /;

/** The labels of tables without a command right behind them. */
const bare = `[...document.querySelectorAll("main [role=table], main table")]
  .filter((one) => !one.nextElementSibling?.matches(".command"))
  .map((one) => one.getAttribute("aria-label"))`;

export function commandTests(stage: Stage): void {
  const copied = new Set<string>();

  for (const [fragment, shown] of views) {
    test(`[DASH-4] every table of ${fragment} is copied as a command`, async () => {
      const { tab } = stage;
      await tab.view(fragment);
      await tab.shows(shown);
      assert.deepEqual(await tab.evaluate<string[]>(bare), []);
      const texts = await tab.evaluate<string[]>(
        `[...document.querySelectorAll(".command code")].map((one) => one.innerText)`,
      );
      assert.ok(fragment === "#/trace" || texts.length > 0);
      for (const text of texts) {
        await tab.click(`.command button[title=${JSON.stringify(`copy: ${text}`)}]`);
        await tab.until(
          `navigator.clipboard.readText().then((it) => it === ${JSON.stringify(text)})`,
        );
        copied.add(text);
      }
    });
  }

  test("the commands that were copied print something", async () => {
    const { cluster } = stage;
    const path = join(cluster.directory, "bin");
    const commands = systemCommands();
    await mkdir(path);
    await symlink(launcher, join(path, "tandem"));
    await symlink(cluster.kubectl.program, join(path, "kubectl"));
    const environment = {
      PATH: `${path}:${process.env["PATH"] ?? ""}`,
      KUBECONFIG: cluster.kubeconfig,
      TANDEM_CLUSTER: cluster.name,
    };
    const quick = [...copied].filter((text) => !long.test(text));
    assert.ok(quick.length >= 10, quick.join("\n"));
    await Promise.all(
      quick.map(async (text) => {
        const { stdout } = await commands.run(["sh", "-c", text], { environment });
        assert.notEqual(stdout, "", text);
      }),
    );
  });
}
