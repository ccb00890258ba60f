import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { systemCommands } from "../../../src/base/host/command.system.ts";
import { type Commands, inNamespace } from "../../../src/base/host/command.ts";
import { systemLocks } from "../../../src/base/host/lock.system.ts";
import { namespaceName } from "../../../src/base/host/netns-name.ts";
import { systemNetworkNamespaces } from "../../../src/base/host/testing/netns.system.ts";
import type { NetworkNamespaces } from "../../../src/base/host/testing/netns.ts";

export const commands = systemCommands();
export const locks = systemLocks(commands);

export interface Sandbox {
  /** A directory for anything. */
  readonly scratch: string;
  readonly namespaces: NetworkNamespaces;
  /** Makes a namespace; the commands run inside. */
  enter(node: string): Promise<{ readonly path: string; readonly commands: Commands }>;
}

/** Namespaces of this test file's own, in a directory of its own, gone when it is over. */
export async function openSandbox(): Promise<Sandbox> {
  const scratch = await mkdtemp(join(tmpdir(), "tandem-sandbox-"));
  const directory = join(scratch, "netns");
  const namespaces = systemNetworkNamespaces({ commands, locks, directory });
  const cluster = `test-${randomUUID().slice(0, 8)}`;
  after(async () => {
    for (const name of await namespaces.list()) await namespaces.delete(name);
    // Who is still being stopped may write there meanwhile.
    await rm(scratch, { recursive: true, maxRetries: 20 });
  });
  return {
    scratch,
    namespaces,
    async enter(node) {
      const path = await namespaces.create(namespaceName(cluster, node));
      return { path, commands: inNamespace(commands, path) };
    },
  };
}
