// The PID namespace that the containers of a pod share. Its first process is a container of its own, which does
// nothing but wait: it must outlive the others, and they can see all of it, so it must not be the agent's.

import { join } from "node:path";
import { defined } from "../../../base/json/defined.ts";
import type { ContainerState } from "../../runtime/runtime.ts";
import { Turns } from "../../runtime/runtime.ts";
import { containerId } from "../containers/ids.ts";
import type { Slot } from "../decide/slots.ts";
import type { PodParts } from "./pod-parts.ts";

/** The name in the labels; no container of a pod has an empty name. */
const name = "";
const image = "tandem.internal/pause";
const nobody = 65_534;

export class SharedProcesses {
  readonly #parts: PodParts;
  readonly #turns = new Turns();

  constructor(parts: PodParts) {
    this.#parts = parts;
  }

  /** Returns the path of the PID namespace that a container joins; undefined if it gets its own. */
  async pathFor(
    { container }: Slot,
    latestOf: (name: string) => ContainerState | undefined,
  ): Promise<string | undefined> {
    const { shareProcessNamespace, hostPID } = this.#parts.pod.spec;
    const target = "targetContainerName" in container ? container.targetContainerName : undefined;
    if (hostPID === true) return processNamespace(process.pid);
    if (shareProcessNamespace === true) return await this.#path();
    if (target === undefined || target === "") return undefined;
    const state = latestOf(target);
    return processNamespace(state?.status === "running" ? state.pid : undefined);
  }

  /** Returns the path of the pod's own PID namespace, and makes the namespace unless it is there. */
  async #path(): Promise<string> {
    return await this.#turns.take("pause", async () => {
      const found = await this.#found();
      const { pid } = found?.status === "running" ? found : await this.#start();
      return processNamespace(pid);
    });
  }

  async remove(): Promise<void> {
    const { context, sandbox } = this.#parts;
    if (sandbox !== undefined) await context.containers.remove(idOf(sandbox));
  }

  async #found(): Promise<ContainerState | undefined> {
    const { context, sandbox } = this.#parts;
    return sandbox && (await context.containers.get(idOf(sandbox)));
  }

  async #start(): Promise<ContainerState> {
    const { context, sandbox, pod, messages, signal } = this.#parts;
    if (sandbox === undefined) throw new Error("Cannot share processes: there is no sandbox");
    const { uid: podUid, namespace: podNamespace, name: podName, users, namespaces } = sandbox;
    const labels = { podUid, podNamespace, podName, container: name, attempt: 0 };
    return await context.containers.start(
      {
        id: idOf(sandbox),
        labels: { ...labels, kind: "container" },
        image,
        environment: {},
        user: { uid: nobody, gid: nobody },
        namespaces,
        ...defined({ users }),
        mounts: [],
        resources: {},
        security: {
          dropCapabilities: ["ALL"],
          readOnlyRoot: true,
          noNewPrivileges: true,
          seccomp: "default",
        },
        logPath: join(messages, `${pod.metadata.uid}.pause.log`),
      },
      { signal },
    );
  }
}

/** Returns the path of the PID namespace of a running process. */
function processNamespace(pid: number | undefined): string {
  if (pid === undefined) throw new Error("Cannot join a PID namespace: its process is not running");
  return `/proc/${pid}/ns/pid`;
}

function idOf({ id }: { readonly id: string }): string {
  return containerId(id, name, 0);
}
