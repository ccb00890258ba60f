// An API server on a store that was filled before its start, which is much faster than creating each object.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCommands } from "../src/base/host/command.system.ts";
import { openEmbedded } from "../src/control/store/embedded/open.system.ts";
import { freePorts } from "../test/fixtures/etcd-member.ts";

export interface StoredObject {
  /** Where the server looks for it, such as `/registry/core/pods/default/web`. */
  readonly key: string;
  readonly object: unknown;
}

const launcher = join(import.meta.dirname, "../bin/tandem");
const batch = 100;

/** Starts a server without controllers; the result is the path of the administrator's kubeconfig. */
export async function startFilledServer(
  scope: AsyncDisposableStack,
  objects: Iterable<StoredObject>,
): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "tandem-bench-"));
  scope.defer(() => rm(directory, { recursive: true, force: true }));
  await fillStore(join(directory, "store"), objects);
  return startServer(scope, directory);
}

async function fillStore(directory: string, objects: Iterable<StoredObject>): Promise<void> {
  const store = await openEmbedded({ directory });
  try {
    let operations: { type: "put"; key: string; value: Buffer }[] = [];
    const flush = async () => {
      await store.commit({ compare: [], operations });
      operations = [];
    };
    for (const { key, object } of objects) {
      operations.push({ type: "put", key, value: Buffer.from(JSON.stringify(object)) });
      if (operations.length === batch) await flush();
    }
    if (operations.length > 0) await flush();
  } finally {
    await store.close();
  }
}

async function startServer(scope: AsyncDisposableStack, directory: string): Promise<string> {
  const kubeconfig = join(directory, "kubeconfig");
  const [port = 0] = await freePorts(1, "127.0.0.1");
  const ready = Promise.withResolvers<void>();
  const server = await systemCommands().start(
    [
      launcher,
      "server",
      `--data-dir=${directory}`,
      `--listen=127.0.0.1:${port}`,
      `--kubeconfig-out=${kubeconfig}`,
      "--controllers=",
    ],
    {
      diesWithParent: true,
      onLine: (line) => {
        if (line.includes('"serving"')) ready.resolve();
      },
    },
  );
  scope.defer(async () => {
    await server.stop();
  });
  await ready.promise;
  return kubeconfig;
}
