// Puts the plugin where a machine's CNI runtime looks for it, as a pod does that brings it to its node.

import { join } from "node:path";
import type { CallOptions, Commands } from "../../../base/host/command.ts";

export interface PluginPlaces {
  /** The directory of the built programs. */
  readonly source: string;
  /** The directory where a CNI runtime looks for plugins. */
  readonly target: string;
  /** The names that networks know the plugin by, such as `tandem-ipam` and `whereabouts`. */
  readonly names: readonly string[];
}

/** Copies the plugin under each name, and beside it the program that it becomes where no daemon answers. */
export async function installPlugin(
  { source, target, names }: PluginPlaces,
  commands: Commands,
  options: CallOptions = {},
): Promise<void> {
  for (const name of names) {
    if (/^[\w.-]+$/.test(name) && !name.startsWith(".")) continue;
    throw new Error(`Cannot install a plugin as ${JSON.stringify(name)}: it is no name of a file`);
  }
  const copies = [
    // The full program comes first: a plugin that finds no daemon would miss it.
    { from: "tandem-ipam-full", to: "tandem-ipam-full" },
    ...names.map((name) => ({ from: "tandem-ipam", to: name })),
  ];
  for (const { from, to } of copies) {
    const unfinished = join(target, `.${to}.new`);
    await commands.run(["install", "--mode=0755", join(source, from), unfinished], options);
    // Plugins may be running, and others may be about to start one: the name always leads to a whole program.
    await commands.run(["mv", "--force", unfinished, join(target, to)], options);
  }
}
