// Starts conmon, which starts the container and stays with it: it keeps the log and the exit code, whether
// the agent lives or not.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { mountRefusal } from "./bundle/staged-mounts.ts";
import { type MonitorOptions, monitorArguments } from "./monitor-arguments.ts";
import { searchPath } from "./programs.system.ts";

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
