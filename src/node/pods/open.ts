import { PodManager } from "./manager.ts";
import type { Pods, PodsOptions } from "./options.ts";
import { Sandboxes } from "./sandbox/sandboxes.ts";
import { runDirectory } from "./unit/context.ts";

/** Opens the pods of a node; nothing happens before `run`. */
export function openPods(options: PodsOptions): Pods {
  const { commands, network, random, directories, dns } = options;
  const directory = runDirectory(directories);
  const { domain } = dns;
  return new PodManager(options, new Sandboxes({ commands, network, random, directory, domain }));
}
