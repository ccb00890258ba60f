// The traces of a cluster on the machine (processes, namespaces, mounts, cgroups), counted while it is up
// and afterwards.

import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { processesAround } from "../../src/programs/up/processes.ts";
import type { ProgramStatus } from "../../src/programs/up/status.ts";
import type { TestCluster } from "./cluster.fixture.ts";

const kinds = ["net", "mnt", "pid", "ipc", "user"] as const;

/**
 * Returns the links, routes and rules of the machine itself, which a cluster leaves alone. Counters are
 * left out, since they change by themselves.
 */
export async function hostNetwork(): Promise<string> {
  const commands = systemCommands();
  const asked = [
    ["ip", "-brief", "link"],
    ["ip", "-4", "route"],
    ["ip", "-6", "route"],
    ["nft", "list", "tables"],
    ["iptables-save", "-t", "nat"],
  ];
  const answers = await Promise.all(asked.map((command) => commands.run(command)));
  const counted = /^#.*$| expires \d+sec|\[\d+:\d+\]/gm;
  return answers.map(({ stdout }) => stdout.replaceAll(counted, "")).join("\n");
}

export async function programOf(cluster: TestCluster, name: string): Promise<ProgramStatus> {
  const { programs } = await cluster.status();
  const found = programs.find((program) => program.name === name);
  if (found === undefined) throw new Error(`there is no program ${name}`);
  return found;
}

/**
 * Kills a program of the cluster as soon as it runs: after an earlier kill it takes a moment until it
 * does.
 */
export async function killProgram(cluster: TestCluster, name: string): Promise<ProgramStatus> {
  const [program, pid] = await cluster.until(`${name} runs`, async () => {
    const found = await programOf(cluster, name);
    return found.pid === undefined ? undefined : ([found, found.pid] as const);
  });
  process.kill(pid, "SIGKILL");
  return program;
}

/** Returns the pids of everything that a cluster runs, pods aside. */
export async function pidsOf(cluster: TestCluster): Promise<readonly number[]> {
  const { pid = 0 } = await programOf(cluster, "supervisor");
  return (await processesAround(pid)).map((each) => each.pid);
}

/** Returns the namespaces that the processes of a cluster are in and this one is not. */
export async function namespacesAround(pids: readonly number[]): Promise<ReadonlySet<string>> {
  const own = new Set(await namespacesOf("self"));
  const found = (await Promise.all(pids.map((pid) => namespacesOf(String(pid))))).flat();
  return new Set(found.filter((id) => !own.has(id)));
}

/** Waits until the namespaces are gone, or until whoever got their numbers from the kernel is gone, too. */
export async function untilGone(namespaces: ReadonlySet<string>): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const alive = await aliveOf(namespaces);
    if (alive.length === 0) return;
    if (Date.now() > deadline) throw new Error(`${alive.join(", ")} are still there`);
    await sleep(50);
  }
}

/** Returns those of the namespaces that a process is in, or that a mount holds. */
async function aliveOf(namespaces: ReadonlySet<string>): Promise<readonly string[]> {
  const held = await readFile("/proc/self/mountinfo", "utf8");
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const used = new Set((await Promise.all(pids.map(namespacesOf))).flat());
  return [...namespaces].filter((id) => used.has(id) || held.includes(id));
}

/** Returns the mounts, cgroups and processes whose names contain the text. */
export async function mentionsOf(text: string): Promise<readonly string[]> {
  const mounts = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  // The error is ignored: cgroups of others come and go during the search.
  const find = "find /sys/fs/cgroup -type d 2> /dev/null || true";
  const { stdout } = await systemCommands().run(["sh", "-c", find]);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => unlessGone(readFile(`/proc/${pid}/cmdline`, "utf8"))),
  );
  return [...mounts, ...stdout.split("\n"), ...commands.map((each) => each ?? "")].filter((line) =>
    line.includes(text),
  );
}

async function namespacesOf(pid: string): Promise<readonly string[]> {
  const links = kinds.map((kind) => unlessGone(readlink(`/proc/${pid}/ns/${kind}`)));
  return (await Promise.all(links)).filter((link) => link !== undefined);
}

async function unlessGone(found: Promise<string>): Promise<string | undefined> {
  try {
    return await found;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (["ENOENT", "ESRCH", "EACCES"].includes(code)) return undefined;
    throw error;
  }
}
