import { runDirectory } from "./machine.ts";
import { PodManager } from "./manager.ts";
import type { Pods, PodsOptions } from "./options.ts";
import { type SandboxKeeper, Sandboxes } from "./sandbox/sandboxes.ts";

/** Opens the pods of a node; nothing happens before `run`. Sandboxes are namespaces unless others are given. */
export function openPods(options: PodsOptions, given?: SandboxKeeper): Pods {
  if (given !== undefined) return new PodManager(options, given);
  const { commands, network, random, directories, dns } = options;
  const directory = runDirectory(directories);
  const { domain } = dns;
  return new PodManager(options, new Sandboxes({ commands, network, random, directory, domain }));
}
