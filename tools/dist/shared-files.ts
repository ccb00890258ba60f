// What a package brings besides the program: units, configuration, man page, completion, bill of materials.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Command, CommandEntry } from "../../src/base/command-line/command.ts";
import { formatDefaultConfig } from "../../src/base/command-line/default-config.ts";
import { formatManual } from "../../src/base/command-line/manual.ts";
import { tandem } from "../../src/cli/commands.ts";
import { completionScripts } from "../../src/cli/completion-scripts.ts";
import { formatUnit, services, unitName } from "../../src/install/machine/machine.ts";

export interface About {
  readonly version: string;
  /** The time of the last commit, in seconds since 1970. */
  readonly epoch: number;
}

/** Path from the root of a machine → content. */
export type SharedFiles = ReadonlyMap<string, string | Uint8Array>;

const places = { program: "/usr/bin/tandem", configuration: "/etc/tandem" };

export async function sharedFiles({ version, epoch }: About, bill: string): Promise<SharedFiles> {
  const date = new Date(epoch * 1000).toISOString().slice(0, 10);
  const files = new Map<string, string | Uint8Array>();
  for (const service of services) {
    files.set(`usr/lib/systemd/system/${unitName(service)}`, formatUnit(service, places));
    if (service.foreign !== undefined) continue;
    const command = await commandAt(service.command);
    const name = ["tandem", ...service.command].join(" ");
    files.set(`usr/share/tandem/config/${service.name}.yaml`, formatDefaultConfig(name, command));
  }
  const page = await formatManual(tandem, { version, date });
  files.set("usr/share/man/man8/tandem.8.gz", gzipSync(page, { level: 9 }));
  const { bash, zsh, fish } = completionScripts;
  files.set("usr/share/bash-completion/completions/tandem", bash("tandem"));
  files.set("usr/share/zsh/vendor-completions/_tandem", zsh("tandem"));
  files.set("usr/share/fish/vendor_completions.d/tandem.fish", fish("tandem"));
  files.set("usr/share/doc/tandem/sbom.cdx.json", bill);
  return files;
}

export function writeFiles(target: string, files: SharedFiles): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), content);
  }
}

/** The command that the words name. */
export async function commandAt(words: readonly string[]): Promise<Command> {
  let entries: readonly CommandEntry[] = tandem.commands;
  for (const word of words) {
    const entry = entries.find(({ name }) => name === word);
    if (entry === undefined) break;
    if ("load" in entry) return (await entry.load()).command;
    entries = entry.commands;
  }
  throw new Error(`Cannot configure "tandem ${words.join(" ")}": there is no such command`);
}
