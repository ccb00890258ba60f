// Starts conmon, which starts the container and stays with it: it keeps the log and the exit code, whether
// the agent lives or not.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { CallOptions } from "../../base/host/command.ts";
import { mountRefusal } from "./bundle/staged-mounts.ts";
import type { Bundle } from "./bundle/write.ts";
import type { Identity } from "./machine/identity.ts";
import type { ContainerPlaces, Places } from "./places.ts";
import type { ContainerSpec } from "./port.ts";
import { searchPath } from "./programs.ts";

export interface MonitorOptions extends CallOptions {
  readonly spec: ContainerSpec;
  readonly places: Places;
  readonly identity: Identity;
  readonly bundle: Bundle;
  /** The paths of conmon and of the OCI runtime. */
  readonly monitor: string;
  readonly runtime: string;
  /** The path of the helper program that mounts and then becomes conmon. */
  readonly helper: string;
}

/**
 * Resolves when the container has been created and waits to be started. Its root and its volumes are mounted
 * in conmon's own mount namespace: they disappear with conmon, however it ends, and the mount tables of other
 * processes stay small.
 */
export async function startMonitor(options: MonitorOptions): Promise<void> {
  const { spec, places, bundle, monitor, helper, signal } = options;
  const own = places.container(spec.id);
  const complaints = await open(own.complaints, "a", 0o600);
  try {
    const child = spawn(helper, [...bundle.words, "--", monitor, ...monitorArguments(options)], {
      detached: true,
      cwd: own.directory,
      stdio: ["ignore", "ignore", complaints.fd, "pipe"],
      env: { PATH: searchPath(), LC_ALL: "C.UTF-8", _OCI_SYNCPIPE: "3" },
      ...(signal !== undefined && { signal, killSignal: "SIGKILL" }),
    });
    const exited = once(child, "exit");
    const pipe = child.stdio[3] as Readable;
    // The program that was started is gone when conmon runs on its own, so that the signal does not reach it.
    using _ = destroyedBy(signal, pipe);
    const [answer] = await Promise.all([readAnswer(pipe), exited]);
    if (answer === undefined || answer.data < 0) {
      const said = answer?.message ?? (await readFile(own.complaints, "utf8"));
      throw mountRefusal(said, bundle.stage) ?? new Error(said);
    }
  } finally {
    await complaints.close();
  }
}

function destroyedBy(signal: AbortSignal | undefined, pipe: Readable): Disposable {
  const destroy = () => void pipe.destroy(signal?.reason as Error);
  signal?.addEventListener("abort", destroy, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", destroy) };
}

interface Answer {
  /** The pid of the container's process; negative after a failure. */
  readonly data: number;
  readonly message?: string;
}

/**
 * Reads the one line that conmon answers; undefined when conmon did not get that far. It does not wait for
 * the end of the pipe, since conmon stays.
 */
async function readAnswer(pipe: Readable): Promise<Answer | undefined> {
  let text = "";
  for await (const chunk of pipe.setEncoding("utf8")) {
    text += chunk as string;
    if (text.includes("\n")) break;
  }
  return text === "" ? undefined : (JSON.parse(text) as Answer);
}

function monitorArguments(options: MonitorOptions): readonly string[] {
  const { spec, places, identity } = options;
  const own: ContainerPlaces = places.container(spec.id);
  return [
    "--api-version=1",
    `--cid=${spec.id}`,
    `--cuuid=${spec.id}`,
    `--name=${spec.id}`,
    `--runtime=${options.runtime}`,
    `--runtime-arg=--root=${places.runtime}`,
    `--bundle=${own.directory}`,
    `--persist-dir=${own.directory}`,
    `--exit-dir=${places.exits}`,
    "--full-attach",
    `--container-pidfile=${own.pid}`,
    `--conmon-pidfile=${own.monitorPid}`,
    `--log-path=k8s-file:${spec.logPath}`,
    "--no-sync-log",
    "--log-level=error",
    // The kernel allows an ordinary user only few keyrings.
    ...(identity.isRootless ? ["--no-new-keyring"] : []),
    ...(spec.terminal === true ? ["--terminal"] : []),
    ...(spec.stdin === true ? ["--stdin"] : []),
    ...(spec.stdin === true && spec.stdinOnce !== true ? ["--leave-stdin-open"] : []),
  ];
}
