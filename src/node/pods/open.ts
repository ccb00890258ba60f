import { systemMachine } from "./machine.system.ts";
import { runDirectory } from "./machine.ts";
import { type PodGround, PodManager } from "./manager.ts";
import type { Pods, PodsOptions } from "./options.ts";
import { Sandboxes } from "./sandbox/sandboxes.system.ts";

/** Opens the pods of a node, on this machine unless another ground is given; nothing happens before `run`. */
export function openPods(options: PodsOptions, ground: PodGround = ownGround(options)): Pods {
  return new PodManager(options, ground);
}

function ownGround({ commands, network, random, directories, dns }: PodsOptions): PodGround {
  const directory = runDirectory(directories);
  const { domain } = dns;
  return {
    sandboxes: new Sandboxes({ commands, network, random, directory, domain }),
    machine: systemMachine(commands),
  };
}
