// exec and attach: the streams of a process in a container, joined with those of a client.

import type { Readable, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { messageOf } from "../../program/errors.ts";
import type { UpgradeRequest } from "../../streaming/handshake.ts";
import { acceptRemoteCommand } from "../../streaming/remote-command.ts";
import type { Outcome, RemoteCommand } from "../../streaming/remote-command-types.ts";
import type { PodContainers } from "../pods/port.ts";
import type { ContainerSession, Containers } from "../runtime/port.ts";
import { ServeError } from "./error.ts";
import { found } from "./found.ts";
import { isSet } from "./logs.ts";
import type { ContainerTarget } from "./target.ts";

interface SessionParts {
  readonly pods: PodContainers;
  readonly containers: Containers;
}

/** Resolves when both sides are done. What fails before the client is accepted is thrown. */
export async function serveSession(
  target: ContainerTarget,
  upgrade: UpgradeRequest,
  { pods, containers }: SessionParts,
): Promise<void> {
  const { query, namespace, pod, container } = target;
  const name = { namespace, name: pod };
  const { id, status } = found(await pods.find(name, container), target);
  if (status !== "running") {
    throw new ServeError(400, `container "${container}" in pod "${pod}" is not running`);
  }
  const tty = isSet(query, "tty");
  const stdin = isSet(query, "stdin");
  const wanted = { stdin, stdout: isSet(query, "stdout"), stderr: isSet(query, "stderr"), tty };
  const remote = await acceptRemoteCommand(upgrade, wanted);
  const gone = new AbortController();
  void remote.closed.then(() => gone.abort());
  const { signal } = gone;
  const open =
    target.kind === "exec"
      ? () =>
          containers.exec(id, { command: query.getAll("command"), terminal: tty, stdin, signal })
      : () => containers.attach(id, { stdin, signal });
  await remote.finish(await outcomeOf(open, remote));
}

async function outcomeOf(
  open: () => Promise<ContainerSession>,
  remote: RemoteCommand,
): Promise<Outcome> {
  try {
    const session = await open();
    remote.onResize(({ width, height }) => {
      session.resize({ columns: width, rows: height }).catch(() => undefined);
    });
    const outputs = [
      pass(session.stdout, remote.stdout),
      ...(session.stderr === undefined ? [] : [pass(session.stderr, remote.stderr)]),
    ];
    if (remote.stdin !== undefined && session.stdin !== undefined) {
      void feed(remote.stdin, session.stdin);
    }
    const exitCode = await session.exited;
    await Promise.all(outputs);
    return { exitCode };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** What nobody asked for is read all the same, or the process would wait for a reader. */
async function pass(source: Readable, target: Writable | undefined): Promise<void> {
  if (target === undefined) {
    source.resume();
    await finished(source).catch(hungUp);
    return;
  }
  await pipeline(source, target, { end: false }).catch(hungUp);
}

async function feed(source: Readable, target: Writable): Promise<void> {
  await pipeline(source, target).catch(hungUp);
}

/** Either end may hang up first; how the process ended says the rest. */
function hungUp(error: NodeJS.ErrnoException): void {
  const usual = [
    "EPIPE",
    "ECONNRESET",
    "ERR_STREAM_PREMATURE_CLOSE",
    "ERR_STREAM_DESTROYED",
    "EIO",
  ];
  if (!usual.includes(error.code ?? "")) throw error;
}
