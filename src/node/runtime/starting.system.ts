import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { CallOptions } from "../../base/host/command.ts";
import { CommandError } from "../../base/host/error.ts";
import { messageOf } from "../../base/program/errors.ts";
import { writeBundle } from "./bundle/write.system.ts";
import { complaintOf } from "./complaint.ts";
import type { RuntimeContext } from "./context.ts";
import { ContainerError } from "./error.ts";
import { identifyProcess, type ProcessIdentity } from "./machine/processes.system.ts";
import { startMonitor } from "./monitor.system.ts";
import type { ContainerSpec } from "./port.ts";
import { writeRecord, writeStarted } from "./record.system.ts";

/**
 * Starts a container. The directory is made first and the file `started` written last, so that whatever a
 * killed agent leaves in between is found by the directory.
 */
export async function startContainer(
  { spec, signal }: { readonly spec: ContainerSpec } & CallOptions,
  context: RuntimeContext,
): Promise<void> {
  const { images, identity, places, runtime, monitor, helper, cgroup } = context;
  const own = places.container(spec.id);
  signal?.throwIfAborted();
  try {
    const [runc, conmon] = await Promise.all([runtime.program.path(), monitor.path()]);
    const image = await images.rootOf(spec.image);
    await mkdir(own.directory, { mode: 0o700 });
    await mkdir(dirname(spec.logPath), { recursive: true });
    await writeRecord(own, spec);
    const bundle = await writeBundle(own, { spec, image, identity, cgroup });
    const programs = { runtime: runc, monitor: conmon, helper };
    await startMonitor({ spec, places, identity, bundle, ...programs, signal });
    const [main, guard] = await Promise.all([own.pid, own.monitorPid].map(identify));
    if (main === undefined || guard === undefined) throw new Error("it was killed meanwhile");
    // The time is taken before the start, since the container may have ended right after it.
    const at = new Date().toISOString();
    await runtime.start({ id: spec.id, process: main }, { signal });
    await writeStarted(own, { process: main, monitor: guard, at });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ContainerError) throw error;
    throw new ContainerError(`Cannot start container ${spec.labels.container}: ${wordsOf(error)}`, {
      reason: "failed",
      cause: error,
    });
  }
}

async function identify(file: string): Promise<ProcessIdentity | undefined> {
  return await identifyProcess(Number(await readFile(file, "utf8")));
}

function wordsOf(error: unknown): string {
  return complaintOf(error instanceof CommandError ? error.stderr : messageOf(error));
}
