// Removes cgroups, also those of a runtime that was killed before it could record that it had made one.
import { access, constants, readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HostError } from "../../../base/host/error.ts";
import { systemCode } from "../../../base/program/errors.ts";
import { type Cgroups, cgroupMounts } from "./cgroups.ts";
import { sendSignal } from "./processes.system.ts";

export async function systemCgroups(): Promise<Cgroups> {
  const mounts = cgroupMounts(await readFile("/proc/self/mountinfo", "utf8"));
  return {
    isUnified: mounts.length > 0 && mounts.every(({ type }) => type === "cgroup2"),
    async clear(path) {
      await Promise.all(mounts.map(({ directory }) => clearDirectory(join(directory, path))));
    },
    async wasOutOfMemory(path) {
      const files = mounts.flatMap(({ directory }) =>
        ["memory.oom_control", "memory.events"].map((name) => join(directory, path, name)),
      );
      const read = (file: string) => readFile(file, "utf8").catch(unlessGone(""));
      const texts = await Promise.all(files.map(read));
      return texts.some((text) => /^oom_kill [1-9]/m.test(text));
    },
  };
}

/** Rejects with the reason when no container could have a cgroup below this path. */
export async function checkCgroups(
  path: string,
  readMounts: () => Promise<string> = () => readFile("/proc/self/mountinfo", "utf8"),
): Promise<void> {
  const remedy = "'--cgroup-parent=' runs them without";
  const mounts = cgroupMounts(await readMounts());
  if (mounts.length === 0) {
    throw cannotRun(`no cgroup hierarchy is mounted on this machine; ${remedy}`);
  }
  const isUnified = mounts.every(({ type }) => type === "cgroup2");
  // Containers do not use the unified hierarchy on a machine that also has cgroup v1 hierarchies.
  for (const { directory } of mounts.filter(({ type }) => isUnified || type === "cgroup")) {
    for (const place of [directory, join(directory, path)]) {
      const problem = await access(place, constants.W_OK).then(() => undefined, codeOf);
      if (problem === undefined || problem === "ENOENT") continue;
      throw cannotRun(`cgroups cannot be made in ${place} (${problem}); ${remedy}`);
    }
  }
}

function cannotRun(state: string): HostError {
  return new HostError(`Cannot run containers: ${state}`, { reason: "not-supported" });
}

function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.message;
}

/** The time to wait for killed processes to leave their cgroup, which takes long on a busy machine. */
const patienceMs = 10_000;
const pauseMs = 5;

async function clearDirectory(directory: string): Promise<void> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(pauseMs)) {
    if (!(await exists(directory))) return;
    for (const pid of await members(directory)) sendSignal(pid, "SIGKILL");
    if (await removed(directory)) return;
    for (const inner of await innerOf(directory)) await clearDirectory(inner);
  }
  throw new Error(`Cannot remove cgroup ${directory}: processes in it do not die`);
}

async function members(directory: string): Promise<readonly number[]> {
  const text = await readFile(join(directory, "cgroup.procs"), "utf8").catch(unlessGone(""));
  return text.split("\n").filter(Boolean).map(Number);
}

/** Returns the child cgroups, which containers may have made. */
async function innerOf(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(unlessGone([]));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name));
}

async function removed(directory: string): Promise<boolean> {
  try {
    await rmdir(directory);
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT") return true;
    if (code === "EBUSY") return false;
    throw error;
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(() => true, unlessGone(false));
}

function unlessGone<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === "ENOENT" || error.code === "ENODEV") return otherwise;
    throw error;
  };
}
