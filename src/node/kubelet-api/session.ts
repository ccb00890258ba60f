// Exec and attach: joins the streams of a process in a container with those of a client.

import { messageOf } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import type { UpgradeRequest } from "../../base/streaming/handshake.ts";
import { acceptRemoteCommand } from "../../base/streaming/remote-command.ts";
import type { Outcome, RemoteCommand } from "../../base/streaming/remote-command-types.ts";
import type { PodContainers } from "../pods/pods.ts";
import type { ContainerSession, Containers } from "../runtime/runtime.ts";
import { ServeError } from "./error.ts";
import { followSize } from "./follow-size.ts";
import { findContainer } from "./found.ts";
import { passInput, passOutput } from "./join-streams.ts";
import { isSet } from "./logs.ts";
import type { ContainerTarget } from "./target.ts";

interface SessionParts {
  readonly pods: PodContainers;
  readonly containers: Containers;
  readonly log: Log;
}

/** Serves a session; resolves when both sides are done. Errors before the client is accepted are thrown. */
export async function serveSession(
  target: ContainerTarget,
  upgrade: UpgradeRequest,
  { pods, containers, log }: SessionParts,
): Promise<void> {
  const { query, pod, container } = target;
  const { id, status } = await findContainer(pods, target);
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
  await remote.finish(await outcomeOf(open, remote, log));
}

async function outcomeOf(
  open: () => Promise<ContainerSession>,
  remote: RemoteCommand,
  log: Log,
): Promise<Outcome> {
  try {
    const session = await open();
    followSize(remote, session, log);
    const { stdin, stdout, stderr, exited } = session;
    const outputs = [
      passOutput(stdout, remote.stdout),
      ...(stderr === undefined ? [] : [passOutput(stderr, remote.stderr)]),
    ];
    if (remote.stdin !== undefined && stdin !== undefined) passInput(remote.stdin, stdin);
    const exitCode = await exited;
    await Promise.all(outputs);
    return { exitCode };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
