import { PodManager } from "./manager.ts";
import type { Pods, PodsOptions } from "./options.ts";

/** The pods of a node; nothing happens before they are run. */
export function openPods(options: PodsOptions): Pods {
  return new PodManager(options);
}
