// Files and processes are touched in few folders: decision 0057 says why in each.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { isTestSupport } from "./imports.ts";

/** The folders whose files may use node:fs or node:child_process, by what their component is for. */
const folders: Readonly<Record<string, readonly string[]>> = {
  "ports and the frame of programs": ["base/host", "base/host/process", "base/program"],
  "commands that read and write files of their users": [
    "cli/image",
    "cli/install-config",
    "cli/install-service",
    "cli/ipam",
  ],
  "stores and logs on disk": [
    "control/store",
    "control/store/backup",
    "control/store/embedded",
    "control/apiserver/audit",
    "install/service/database",
  ],
  "limits of this machine": ["control/apiserver/limits", "node/status"],
  "a process for each call of the plugin": [
    "node/ipam",
    "node/ipam/combine",
    "node/ipam/commands",
    "node/ipam/config",
    "node/ipam/datastore/etcd",
    "node/ipam/datastore/kubernetes",
    "node/ipam/datastore/local",
    "node/network/cni",
  ],
  "containers, which are files and processes": [
    "node/runtime",
    "node/runtime/bundle",
    "node/runtime/images",
    "node/runtime/log",
    "node/runtime/machine",
    "node/runtime/session",
    "node/stats",
    "node/kubelet-api",
  ],
  "what pods see of the machine": [
    "node/pods",
    "node/pods/containers",
    "node/pods/sandbox",
    "node/pods/static",
    "node/pods/volumes",
  ],
  "clusters on this machine": ["programs/up", "programs/trace", "inspect/trace"],
  "a program of its own": ["inspect/echo"],
};

const production = globSync("src/**/*.ts").filter((file) => !isTestSupport(file));
const using = (pattern: RegExp) =>
  production.filter((file) => pattern.test(readFileSync(file, "utf8")));
const foldersOf = (files: readonly string[]) =>
  [...new Set(files.map((file) => dirname(file).slice("src/".length)))].toSorted();

test("node:fs and node:child_process are used in the listed folders only, and in each of them", () => {
  const found = foldersOf(using(/from "node:(fs|fs\/promises|child_process)"/));
  assert.deepEqual(found, Object.values(folders).flat().toSorted());
});

test("Math.random is used by the port for randomness, and for the length of watches", () => {
  assert.deepEqual(using(/Math\.random\(/).toSorted(), [
    "src/base/host/random.system.ts",
    "src/control/apiserver/watch/stream.ts",
  ]);
});

test("no plan, decision or allocation uses files, processes or randomness by itself", () => {
  const effects = /from "node:(fs|fs\/promises|child_process)"|randomUUID|Math\.random/;
  const pure =
    /\/(plan|decide|allocation|allocator|render|scheduler|filters|scores)(\/|[^/]*\.ts$)/;
  assert.deepEqual(
    using(effects).filter((file) => pure.test(file) && !file.startsWith("src/cli/")),
    [],
  );
});
