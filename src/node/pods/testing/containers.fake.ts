// Containers in memory: they run until the test, or a signal, ends them.

import { Readable } from "node:stream";
import type { Clock } from "../../../base/host/clock.ts";
import type {
  ContainerResources,
  ContainerSession,
  ContainerSpec,
  ContainerState,
  Containers,
  ExecRequest,
} from "../../runtime/port.ts";

export class FakeContainers implements Containers {
  readonly specs = new Map<string, ContainerSpec>();
  /** The signals sent, as `NAME SIGNAL`, in order. */
  readonly signals: string[] = [];
  readonly executed: string[] = [];
  /** The ids of the containers that were removed, in order. */
  readonly removed: string[] = [];
  /** The resizes, as `NAME JSON`, in order. */
  readonly resizes: string[] = [];
  /** Called before each resize; an error it returns is thrown. */
  resizeFault: () => Error | undefined = () => undefined;
  /** The signals that the containers ignore. */
  readonly deafTo = new Set<string>();
  /** Called before each start; an error it returns is thrown. */
  fault: (spec: ContainerSpec) => Error | undefined = () => undefined;
  /** Called before each wait for an end; an error it returns is thrown. */
  waitFault: () => Error | undefined = () => undefined;
  /** Returns the exit code of a command run by `exec`. */
  exitCode: (command: readonly string[]) => number = () => 0;
  readonly #clock: Clock;
  readonly #states = new Map<string, ContainerState>();
  readonly #ends = new Map<string, PromiseWithResolvers<ContainerState>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The names of the running containers. */
  get running(): string[] {
    return [...this.#states.values()]
      .filter(({ status }) => status === "running")
      .map(({ labels }) => labels.container);
  }

  /** Returns the latest container of this name. */
  named(name: string): ContainerState | undefined {
    return [...this.#states.values()].findLast(({ labels }) => labels.container === name);
  }

  /** Ends the running container of this name. */
  end(name: string, exitCode: number): void {
    const state = this.named(name);
    if (state?.status !== "running") throw new Error(`Cannot end ${name}: it does not run`);
    this.#end(state, exitCode);
  }

  #end(state: ContainerState, exitCode: number): void {
    const finishedAt = new Date(this.#clock.now());
    const ended: ContainerState = { ...state, status: "exited", finishedAt, exitCode };
    this.#states.set(state.id, ended);
    this.#ends.get(state.id)?.resolve(ended);
  }

  async start(spec: ContainerSpec): Promise<ContainerState> {
    const fault = this.fault(spec);
    if (fault !== undefined) throw fault;
    const { id, labels, image, logPath } = spec;
    const startedAt = new Date(this.#clock.now());
    const state: ContainerState = {
      id,
      labels,
      image,
      logPath,
      status: "running",
      pid: 1,
      startedAt,
    };
    this.specs.set(labels.container, spec);
    this.#states.set(id, state);
    this.#ends.set(id, Promise.withResolvers());
    return state;
  }

  async list(): Promise<readonly ContainerState[]> {
    return [...this.#states.values()];
  }

  async get(id: string): Promise<ContainerState | undefined> {
    return this.#states.get(id);
  }

  exited(
    id: string,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<ContainerState> {
    const fault = this.waitFault();
    if (fault !== undefined) return Promise.reject(fault);
    const end = this.#ends.get(id);
    if (end === undefined) return Promise.reject(new Error(`Cannot await ${id}: there is none`));
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
    return Promise.race([end.promise, aborted]);
  }

  async resize(id: string, resources: ContainerResources): Promise<void> {
    const fault = this.resizeFault();
    if (fault !== undefined) throw fault;
    this.resizes.push(`${this.#states.get(id)?.labels.container} ${JSON.stringify(resources)}`);
  }

  async kill(id: string, signal: NodeJS.Signals): Promise<void> {
    const state = this.#states.get(id);
    if (state?.status !== "running") return;
    const { container } = state.labels;
    this.signals.push(`${container} ${signal}`);
    if (!this.deafTo.has(signal)) this.#end(state, signal === "SIGKILL" ? 137 : 143);
  }

  async remove(id: string): Promise<void> {
    await this.kill(id, "SIGKILL");
    this.#states.delete(id);
    this.removed.push(id);
  }

  /** Forgets the container of this name, as if its files had been lost. */
  lose(name: string): void {
    const state = this.named(name);
    if (state !== undefined) this.#states.delete(state.id);
  }

  async exec(_id: string, { command }: ExecRequest): Promise<ContainerSession> {
    this.executed.push(command.join(" "));
    const exited = Promise.resolve(this.exitCode(command));
    return { stdout: Readable.from([]), exited, resize: () => Promise.resolve() };
  }

  attach(id: string): Promise<ContainerSession> {
    return Promise.reject(new Error(`Cannot attach to ${id}: the fake has no streams`));
  }
}
