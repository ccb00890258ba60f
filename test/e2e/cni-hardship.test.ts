// Plugins that are missing, die or hang, and a runtime that is killed while one runs.
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { parseNetwork } from "../../src/node/network/cni/configuration.ts";
import { type CniError, isMissingPlugin, isTimedOut } from "../../src/node/network/cni/error.ts";
import { type CniNode, openCniSandbox } from "./cni.fixture.ts";

const openNode = await openCniSandbox();
const node = await openNode("hardship");
const plugins = join(node.directory, "plugins");
const timeout = 120_000;
const bridge = { type: "bridge", bridge: "cbr0", isGateway: true, ipam: node.ipam("tandem-ipam") };
const source = { cniVersion: "1.0.0", name: "pods", plugins: [bridge, { type: "troubled" }] };
const pods = parseNetwork(source, { where: "test" });

/** The bridge itself stays. */
const nothingLeft = { links: 2, reservations: 0, remembered: 0 };

before(async () => {
  await mkdir(plugins, { recursive: true });
});

/** A plugin at the end of the chain that does this on ADD. */
async function install(onAdd: string): Promise<void> {
  const script = `#!/bin/sh
    case $CNI_COMMAND in
      VERSION) echo '{"supportedVersions":["0.4.0","1.0.0"]}' ;;
      ADD) ${onAdd} ;;
    esac
  `;
  const path = join(plugins, "troubled");
  await writeFile(path, script);
  await chmod(path, 0o755);
}

test("[CNI-1] a plugin that is missing is named with the searched path", async () => {
  const { attachment } = await node.pod("missing");
  await assert.rejects(node.runtime({ plugins }).add(pods, attachment), (error: Error) => {
    assert.ok(error.message.includes(`troubled: there is no such program in ${plugins}:`));
    return isMissingPlugin(error);
  });
  assert.deepEqual(await node.census(), { ...nothingLeft, links: 1 });
});

test("[CNI-1] a plugin that is killed leaves its last words and nothing else", {
  timeout,
}, async () => {
  await install("echo last words >&2; kill -9 $$");
  const { attachment } = await node.pod("killed");
  await assert.rejects(node.runtime({ plugins }).add(pods, attachment), (error: CniError) => {
    assert.equal(error.message, "Cannot ADD with plugin troubled: last words");
    return error.stderr === "last words\n";
  });
  assert.deepEqual(await node.census(), nothingLeft);
});

test("[CNI-1] a plugin that hangs is ended in time, or when nobody waits any more", {
  timeout,
}, async () => {
  const begun = join(node.directory, "hangs");
  await install(`echo $$ > ${begun}; exec sleep 600`);
  const { attachment } = await node.pod("hangs");
  await assert.rejects(
    // The time of every plugin, also of those that undo it.
    node.runtime({ plugins, timeoutMs: 8000 }).add(pods, attachment),
    isTimedOut,
  );
  assert.deepEqual(await node.census(), nothingLeft);

  await writeFile(begun, "");
  const gone = new AbortController();
  const adding = node.runtime({ plugins }).add(pods, attachment, { signal: gone.signal });
  const outcome = assert.rejects(adding, /shutting down/);
  await content(begun);
  gone.abort(new Error("shutting down"));
  await outcome;
  assert.deepEqual(await node.census(), nothingLeft);
});

test("[CNI-1] what a runtime was doing when it was killed is undone by the next", {
  timeout,
}, async () => {
  const begun = join(node.directory, "begun");
  await install(`echo $$ > ${begun}; exec sleep 600`);
  const { attachment } = await node.pod("crash");
  const running = await startAdding(node, attachment);
  try {
    const plugin = Number(await content(begun));
    running.kill("SIGKILL");
    await running.exited;
    process.kill(plugin, "SIGKILL");
  } finally {
    await running.stop();
  }
  assert.deepEqual(await node.census(), { links: 3, reservations: 2, remembered: 1 });

  const next = node.runtime({ plugins });
  assert.deepEqual(await next.attached(), []);
  await next.deleteAll(attachment.container);
  assert.deepEqual(await node.census(), nothingLeft);
});

/** A process of its own that adds, and can be killed. */
async function startAdding({ commands, cacheDirectory }: CniNode, attachment: object) {
  const root = join(import.meta.dirname, "../../src");
  const path = [plugins, join(root, "../build"), "/usr/lib/cni"];
  const program = `
    import { parseNetwork } from "${root}/node/network/cni/configuration.ts";
    import { systemPluginPath } from "${root}/node/network/cni/plugin-path.system.ts";
    import { CniRuntime } from "${root}/node/network/cni/runtime.ts";
    import { systemCommands } from "${root}/base/host/command.system.ts";
    import { systemFiles } from "${root}/base/host/files.system.ts";
    const [source, attachment, path, directory] = JSON.parse(process.argv[1]);
    await new CniRuntime({
      commands: systemCommands(), files: systemFiles, path: systemPluginPath(path), directory,
    }).add(parseNetwork(source, { where: "test" }), attachment);
  `;
  const told = JSON.stringify([source, attachment, path, cacheDirectory]);
  const command = [process.execPath, "--input-type=module", "--eval", program, told];
  return commands.start(command, { diesWithParent: true });
}

/** What a file holds once it holds something. */
async function content(path: string): Promise<string> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await setTimeout(20)) {
    const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    if (text.endsWith("\n")) return text.trim();
  }
  assert.fail(`nothing was written to ${path}`);
}
