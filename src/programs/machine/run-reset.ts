// `tandem reset`: takes a machine's role away and leaves it as it was.

import { createInterface } from "node:readline/promises";
import { systemCommands } from "../../base/host/command.system.ts";
import type { Commands } from "../../base/host/command.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { UsageError } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import { formatDocument } from "../../base/program/output.ts";
import {
  describeRemoval,
  machinePlaces,
  planReset,
  type Removal,
} from "../../install/machine/machine.ts";
import { cleanUpNetwork } from "../../node/network/network.ts";
import { cleanUp as cleanUpProxy } from "../../node/proxy/proxy.ts";
import { systemCgroups } from "../../node/runtime/runtime.ts";
import { restoreSettings } from "./kernel-settings.ts";
import { removeMember } from "./own-etcd.ts";
import { agentCgroup, readResetFacts } from "./reset-facts.ts";

export interface ResetOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly output: "text" | "json" | "yaml";
}

interface Streams {
  readonly stdout: { write(text: string): unknown };
  readonly log: Log;
}

const pluginDirectories = ["/opt/cni/bin", "/usr/lib/cni", "/usr/lib/tandem/build"];

export async function runReset(
  options: ResetOptions,
  { stdout, log }: Streams,
  signal: AbortSignal,
): Promise<void> {
  if (process.geteuid?.() !== 0) throw new UsageError("Cannot reset this machine: only root can");
  const commands = systemCommands();
  const removals = planReset(await readResetFacts(commands));
  if (options.output === "text") {
    stdout.write(removals.map((each) => `${describeRemoval(each)}\n`).join(""));
  } else stdout.write(await formatDocument(removals, options.output));
  if (options.dryRun || removals.length === 0) {
    if (removals.length === 0 && options.output === "text")
      stdout.write("There is nothing to remove.\n");
    return;
  }
  if (!options.yes && !(await isAgreed(signal))) {
    throw new UsageError("Cannot reset this machine: nobody agreed", { hint: "--yes agrees." });
  }
  await perform(removals, { commands, log, signal });
  // Ending things may have brought others to light, such as a table that a program wrote at its end.
  const left = planReset(await readResetFacts(commands));
  await perform(left, { commands, log, signal });
  const rest = planReset(await readResetFacts(commands));
  if (rest.length > 0) {
    throw new Error(
      `Cannot reset this machine whole: left are ${rest.map(describeRemoval).join("; ")}`,
    );
  }
  if (options.output === "text") stdout.write("This machine is as it was.\n");
}

interface Doing {
  readonly commands: Commands;
  readonly log: Log;
  readonly signal: AbortSignal;
}

async function perform(removals: readonly Removal[], doing: Doing): Promise<void> {
  for (const removal of removals) {
    doing.signal.throwIfAborted();
    await remove(removal, doing);
  }
  await removeEmptyConfiguration(doing.commands);
}

async function remove(removal: Removal, { commands, log, signal }: Doing): Promise<void> {
  switch (removal.kind) {
    case "unit":
      await commands.run(["systemctl", "disable", "--now", "--quiet", removal.name], {
        timeoutMs: 120_000,
      });
      return;
    case "member":
      await leaveEtcd(removal.peerUrl, { log, signal });
      return;
    case "processes":
      await endPods(commands);
      return;
    case "network":
      await cleanUpNetwork(
        {
          commands,
          files: systemFiles,
          log,
          runDirectory: machinePlaces.agentRun,
          binDirectories: pluginDirectories,
        },
        { signal },
      );
      await cleanUpProxy({ commands, log }, { signal });
      return;
    case "table":
      await removeTable(removal.name, commands);
      return;
    case "mount":
      await commands.run(["umount", "--lazy", removal.name]);
      return;
    case "cgroup":
      await (await systemCgroups()).clear(machinePlaces.cgroup);
      return;
    case "setting":
      await restoreSettings(commands, { [removal.name]: removal.value });
      return;
    case "path":
      await commands.run(["rm", "-rf", "--one-file-system", "--", removal.name], {
        timeoutMs: 600_000,
      });
  }
}

/** Leaves etcd. A machine whose others are lost, or that has no majority, is reset all the same. */
async function leaveEtcd(url: string, { log, signal }: Omit<Doing, "commands">): Promise<void> {
  try {
    await removeMember(url, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.warn(
      `Cannot leave etcd: the other servers still count the member ${url}; 'etcdctl member remove' on one of ` +
        "them ends that (docs/install.md)",
      { error },
    );
  }
}

/** Ends containers, then their monitors, which are in the cgroup of the agent's unit. */
async function endPods(commands: Commands): Promise<void> {
  const cgroups = await systemCgroups();
  await cgroups.clear(machinePlaces.cgroup);
  for (const path of await agentCgroup(commands)) await cgroups.clear(path);
}

async function removeTable(name: string, commands: Commands): Promise<void> {
  const nft = systemNft(commands);
  const table = (await nft.tables()).find((each) => `${each.family} ${each.name}` === name);
  if (table !== undefined) await nft.deleteTable(table);
}

async function removeEmptyConfiguration(commands: Commands): Promise<void> {
  const { configuration } = machinePlaces;
  if ((await systemFiles.list(configuration)).length > 0) return;
  await commands.run(["rm", "-rf", "--one-file-system", "--", configuration]);
}

async function isAgreed(signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test(await asking.question("Do this? [y/N] ", { signal }));
  } finally {
    asking.close();
  }
}
