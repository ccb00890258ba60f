// Attaches to a container: its input goes through conmon, its output is read from its log.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, type Writable } from "node:stream";
import { readEntries } from "../log/entries.ts";
import type { LogPlace } from "../log/files.system.ts";
import { openTail } from "../log/tail.ts";
import type { ContainerPlaces } from "../places.ts";
import type { AttachRequest, ContainerSession } from "../port.ts";
import { searchPath } from "../programs.system.ts";
import { orders, tellMonitor } from "./control.system.ts";

export interface Attachment extends AttachRequest {
  readonly places: ContainerPlaces;
  readonly logPath: string;
  /** Resolves with the container's exit code. */
  readonly exited: Promise<number>;
  readonly hasTerminal: boolean;
}

/** Opens a session with all output from now on. */
export async function attachTo(attachment: Attachment): Promise<ContainerSession> {
  const { places, logPath, exited, hasTerminal } = attachment;
  // The position is taken before anything can be typed, so that no output is missed.
  const from = await openTail(logPath, 0);
  const stdout = new PassThrough();
  const stderr = hasTerminal ? stdout : new PassThrough();
  void pump({ ...attachment, from }, { stdout, stderr });
  return {
    ...(attachment.stdin === true && { stdin: openInput(attachment) }),
    stdout,
    ...(!hasTerminal && { stderr }),
    exited,
    resize: ({ rows, columns }) => tellMonitor(places.control, [orders.resize, rows, columns]),
  };
}

async function pump(
  { logPath, exited, signal, from }: Attachment & { readonly from: LogPlace | undefined },
  streams: { readonly stdout: PassThrough; readonly stderr: PassThrough },
): Promise<void> {
  const { stdout, stderr } = streams;
  try {
    for await (const { stream, text } of readEntries(logPath, { from, follow: exited, signal })) {
      if (streams[stream].destroyed) return;
      if (!streams[stream].write(text)) await once(streams[stream], "drain", { signal });
    }
    stdout.end();
    stderr.end();
  } catch (error) {
    for (const each of [stdout, stderr])
      each.destroy(signal?.aborted === true ? undefined : (error as Error));
  }
}

/**
 * Opens the container's input. conmon listens on a SEQPACKET socket, which Node does not support, so socat
 * connects to it. The output on the socket is discarded: the log has it as well, separated by stream.
 */
function openInput({ places, exited, signal }: Attachment): Writable {
  const [program, ...words] = intoSocket;
  const child = spawn(program, words, {
    cwd: places.directory,
    stdio: ["pipe", "ignore", "ignore"],
    env: { PATH: searchPath() },
  });
  const end = (): void => void child.kill("SIGKILL");
  signal?.addEventListener("abort", end, { once: true });
  exited.then(end, end);
  child.stdin.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
  });
  child.once("exit", () => signal?.removeEventListener("abort", end));
  return child.stdin;
}

const intoSocket = [
  "socat",
  "-t",
  "0.01",
  "STDIN!!OPEN:/dev/null,wronly",
  "UNIX-CONNECT:attach,type=5",
] as const;
