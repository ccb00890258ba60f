// The containers of a node. They outlive the agent: all their state is on disk.

import { mkdir, readdir, realpath } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { CallOptions } from "../../base/host/command.ts";
import { CommandError, isNotInstalled } from "../../base/host/error.ts";
import { defined } from "../../base/json/defined.ts";
import { messageOf } from "../../base/program/errors.ts";
import { changedLimits } from "./bundle/config.ts";
import { clearContainer, hasTraces, traces } from "./clearing.system.ts";
import { complaintOf } from "./complaint.ts";
import type { RuntimeContext } from "./context.ts";
import { ContainerError } from "./error.ts";
import { Exits } from "./exits.system.ts";
import { rotateLog } from "./log/rotate.system.ts";
import { systemCgroups } from "./machine/cgroups.system.ts";
import { systemIdentity } from "./machine/identity.system.ts";
import { signalProcess } from "./machine/processes.system.ts";
import { OciRuntime } from "./oci-runtime.system.ts";
import { placesIn } from "./places.ts";
import type {
  AttachRequest,
  ContainerResources,
  ContainerSession,
  ContainerSpec,
  ContainerState,
  ContainersOptions,
  ExecRequest,
  LogLimits,
  NodeContainers,
} from "./port.ts";
import { builtProgram, FoundProgram } from "./programs.system.ts";
import { readRecord, readStarted } from "./record.system.ts";
import { attachTo } from "./session/attach.system.ts";
import { orders, tellMonitor } from "./session/control.system.ts";
import { endForgottenSessions } from "./session/directory.system.ts";
import { execIn } from "./session/exec.system.ts";
import { startContainer } from "./starting.system.ts";
import { readState } from "./state.system.ts";
import { Turns } from "./turns.ts";

export async function openContainers(options: ContainersOptions): Promise<NodeContainers> {
  const { commands, images, cgroup, logs = {} } = options;
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  // The OCI runtime refuses a path with symbolic links in it.
  const directory = await realpath(options.directory);
  if (/[,:\\\s]/.test(directory)) {
    throw new ContainerError(
      `Cannot keep containers in "${directory}": the path has a comma, colon, backslash or blank`,
      { reason: "failed" },
    );
  }
  const places = placesIn(directory);
  for (const each of [places.containers, places.exits, places.runtime]) {
    await mkdir(each, { recursive: true, mode: 0o700 });
  }
  const containers = new RuncContainers(
    {
      places,
      images,
      runtime: new OciRuntime({
        program: new FoundProgram("runc"),
        commands,
        directory: places.runtime,
      }),
      monitor: new FoundProgram("conmon"),
      helper: options.helper ?? builtProgram("tandem-sandbox"),
      identity: await systemIdentity(),
      cgroups: await systemCgroups(),
      exits: new Exits(places.exits),
      ...defined({ cgroup }),
    },
    logs,
  );
  for (const { id } of await containers.list()) await endForgottenSessions(places.container(id));
  return containers;
}

/** The interval at which logs are checked for rotation. */
const rotationMs = 10_000;

class RuncContainers implements NodeContainers {
  readonly #context: RuntimeContext;
  readonly #limits: LogLimits;
  readonly #turns = new Turns();

  constructor(context: RuntimeContext, limits: LogLimits) {
    this.#context = context;
    this.#limits = limits;
  }

  async start(spec: ContainerSpec, { signal }: CallOptions = {}): Promise<ContainerState> {
    const { id } = spec;
    if (!/^\w[\w.-]*$/.test(id)) {
      throw new ContainerError(`Cannot start container: its id "${id}" is none`, {
        reason: "failed",
      });
    }
    return await this.#turns.take(id, async () => {
      if (await hasTraces(id, this.#context)) await clearContainer(id, this.#context);
      try {
        await startContainer({ spec, signal }, this.#context);
      } catch (error) {
        await clearContainer(id, this.#context);
        throw error;
      }
      return await this.#found(id);
    });
  }

  async list(): Promise<readonly ContainerState[]> {
    const ids = await readdir(this.#context.places.containers);
    const states = await Promise.all(ids.map((id) => this.get(id)));
    return states.filter((state) => state !== undefined);
  }

  async get(id: string): Promise<ContainerState | undefined> {
    return await readState(id, this.#context);
  }

  async exited(id: string, { signal }: CallOptions = {}): Promise<ContainerState> {
    let look = (): void => {};
    const wake = (): void => look();
    using _ = this.#context.exits.notify(id, wake);
    signal?.addEventListener("abort", wake, { once: true });
    try {
      for (;;) {
        signal?.throwIfAborted();
        // The notification is set up before the state is read, so that an exit in between is not missed.
        const { promise: changed, resolve: change } = Promise.withResolvers<void>();
        look = change;
        const state = await this.#found(id);
        if (state.status === "exited") {
          await this.#endOthers(id);
          return state;
        }
        await changed;
      }
    } finally {
      signal?.removeEventListener("abort", wake);
    }
  }

  async resize(id: string, resources: ContainerResources): Promise<void> {
    const { runtime, cgroup } = this.#context;
    // A node without cgroups gives containers no limits.
    if (cgroup === undefined) return;
    await this.#turns.take(id, async () => {
      await this.#running(id, "resize");
      try {
        await runtime.update(id, changedLimits(resources));
      } catch (error) {
        const said = complaintOf(error instanceof CommandError ? error.stderr : messageOf(error));
        const state = `Cannot resize container ${id}: ${said}`;
        throw new ContainerError(state, { reason: "failed", cause: error });
      }
    });
  }

  async kill(id: string, signal: NodeJS.Signals): Promise<void> {
    const started = await readStarted(this.#context.places.container(id));
    if (started !== undefined) await signalProcess(started.process, signal);
  }

  async remove(id: string): Promise<void> {
    await this.#turns.take(id, async () => {
      if (await hasTraces(id, this.#context)) await clearContainer(id, this.#context);
    });
    this.#context.exits.wake(id);
  }

  async exec(id: string, request: ExecRequest): Promise<ContainerSession> {
    await this.#running(id, "execute in");
    return await execIn(id, request, this.#context);
  }

  async attach(id: string, request: AttachRequest): Promise<ContainerSession> {
    const { logPath } = await this.#running(id, "attach to");
    const record = await readRecord(this.#context.places.container(id));
    const exited = this.exited(id, request).then(({ exitCode = 0 }) => exitCode);
    const places = this.#context.places.container(id);
    return await attachTo({
      ...request,
      places,
      logPath,
      exited,
      hasTerminal: record?.terminal === true,
    });
  }

  async collect(): Promise<readonly string[]> {
    const cleared: string[] = [];
    for (const id of await traces(this.#context)) {
      await this.#turns.take(id, async () => {
        if ((await this.get(id)) !== undefined) return;
        try {
          await clearContainer(id, this.#context);
        } catch (error) {
          // The leftovers stay where the programs are not installed: the next start of that id, and the next
          // agent, try again.
          if (isNotInstalled(error)) return;
          throw error;
        }
        cleared.push(id);
      });
    }
    return cleared;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const { id, status, logPath } of await this.list()) {
        if (status !== "running" || !(await rotateLog(logPath, this.#limits))) continue;
        await tellMonitor(this.#context.places.container(id).control, [orders.reopenLog, 0, 0]);
      }
      await sleep(rotationMs, undefined, { signal }).catch(() => signal.aborted);
    }
  }

  close(): Promise<void> {
    this.#context.exits.close();
    return Promise.resolve();
  }

  /**
   * Ends what a container has left running: with its own PID namespace the kernel does so, in a shared one
   * other processes of the container outlive its first.
   */
  async #endOthers(id: string): Promise<void> {
    const { places, cgroups, cgroup } = this.#context;
    const record = await readRecord(places.container(id));
    if (cgroup === undefined || record?.sharesProcesses !== true) return;
    await cgroups.clear(`${cgroup}/${id}`);
  }

  async #found(id: string): Promise<ContainerState> {
    const state = await this.get(id);
    if (state !== undefined) return state;
    throw new ContainerError(`Cannot find container ${id}: there is none`, { reason: "not-found" });
  }

  async #running(id: string, action: string): Promise<ContainerState> {
    const state = await this.#found(id);
    if (state.status === "running") return state;
    throw new ContainerError(`Cannot ${action} container ${id}: it has exited`, {
      reason: "not-running",
    });
  }
}
