// Translates a container of a pod's spec to the runtime's specification.

import { join } from "node:path";
import { defined } from "../../../base/json/defined.ts";
import type { ContainerMount, ContainerSpec, ImageConfig } from "../../runtime/runtime.ts";
import { containerRefusal } from "../admission/supported.ts";
import type { Slot } from "../decide/slots.ts";
import { type EnvironmentSources, environmentOf } from "../environment/environment.ts";
import { ConfigurationError } from "../environment/error.ts";
import { expand } from "../environment/expand.ts";
import { cgroupResources } from "../resize/resources.ts";
import type { PodFile } from "../sandbox/files.system.ts";
import type { SandboxRecord } from "../sandbox/record.ts";
import type { PreparedVolume } from "../volumes/prepared-volume.ts";
import { containerId, logDirectory } from "./ids.ts";
import type { makeContainerFiles } from "./message.system.ts";
import { mountsOf } from "./mounts.ts";
import { type SeccompSettings, seccompOf } from "./seccomp.ts";
import { securityOf, userOf } from "./security.ts";

export interface SpecSources extends EnvironmentSources {
  readonly attempt: number;
  readonly hostname: string;
  readonly sandbox: SandboxRecord;
  /** The path of the PID namespace that the container joins; undefined if it gets its own. */
  readonly processes?: string | undefined;
  readonly image: { readonly id: string; readonly config: ImageConfig };
  readonly volumeOf: (name: string) => PreparedVolume | undefined;
  readonly files: readonly PodFile[];
  readonly logs: string;
  /** The directory of the containers' termination messages. */
  readonly messages: string;
  readonly makeFiles: typeof makeContainerFiles;
  readonly seccomp: SeccompSettings;
  /** The maximum number of processes in each container; unlimited when not given. */
  readonly pidsLimit?: number | undefined;
}

export async function containerSpecOf(slot: Slot, sources: SpecSources): Promise<ContainerSpec> {
  const { facts, attempt, sandbox, image, logs, hostname } = sources;
  const { pod } = facts;
  checkSupported(slot);
  const { uid = "", namespace, name } = pod.metadata;
  const { container } = slot;
  const environment = await environmentOf(slot, sources);
  const { command = [], args = [], workingDir = "", stdin, tty } = container;
  const user = userOf(slot, pod.spec, image.config);
  const seccomp = await seccompOf(slot, pod.spec, sources.seccomp);
  const logPath = join(logDirectory(logs, pod), slot.name, `${attempt}.log`);
  const message = messagePath(sources.messages, slot.name, attempt);
  await sources.makeFiles({ logPath, message });
  return {
    id: containerId(sandbox.id, slot.name, attempt),
    labels: {
      podUid: uid,
      podNamespace: namespace,
      podName: name,
      container: slot.name,
      kind: slot.kind === "init" || slot.kind === "sidecar" ? "init" : "container",
      attempt,
    },
    image: image.id,
    ...(command.length === 0 ? {} : { command: expandAll(command, environment) }),
    ...(args.length === 0 ? {} : { args: expandAll(args, environment) }),
    environment: { HOSTNAME: hostname, ...environment },
    ...(workingDir === "" ? {} : { workingDirectory: workingDir }),
    ...defined({ user }),
    namespaces: namespacesOf(sources),
    ...defined({ users: sandbox.users }),
    mounts: allMounts(slot, { ...sources, message }, environment),
    resources: {
      ...cgroupResources(container.resources),
      ...defined({ pids: sources.pidsLimit }),
    },
    security: { ...securityOf(slot), ...defined({ seccomp }) },
    ...defined({ terminal: tty, stdin }),
    logPath,
  };
}

/** Returns the path of a container's termination message. */
export function messagePath(messages: string, name: string, attempt: number): string {
  return join(messages, `${name}.${attempt}`);
}

function allMounts(
  slot: Slot,
  sources: SpecSources & { readonly message: string },
  environment: Readonly<Record<string, string>>,
): readonly ContainerMount[] {
  const { terminationMessagePath = "/dev/termination-log" } = slot.container;
  const own = { source: sources.message, destination: terminationMessagePath };
  const files = [...sources.files, own];
  return mountsOf(slot, { ...sources, files, environment });
}

/** Returns the sandbox's namespaces. The node's own are named by way of this process, which is in them. */
function namespacesOf(sources: SpecSources): ContainerSpec["namespaces"] {
  const { facts, sandbox, processes } = sources;
  const { hostIPC = false } = facts.pod.spec;
  const own = (name: string) => `/proc/${process.pid}/ns/${name}`;
  return {
    uts: own("uts"),
    ...sandbox.namespaces,
    ...(hostIPC ? { ipc: own("ipc") } : {}),
    ...defined({ pid: processes }),
  };
}

function expandAll(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  return words.map((word) => expand(word, environment));
}

/** Refuses security fields that this node could not enforce. */
function checkSupported(slot: Slot): void {
  const refusal = containerRefusal(slot);
  if (refusal !== undefined) {
    throw new ConfigurationError(`run spec.${slot.path}`, refusal.message);
  }
}
