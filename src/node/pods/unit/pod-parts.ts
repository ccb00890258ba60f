import type { Remark } from "../../../api/client/events.ts";
import type { Pod, PodIP } from "../../../api/types/core.ts";
import type { Slot } from "../decide/slots.ts";
import type { PodFacts } from "../environment/facts.ts";
import type { PodFile } from "../sandbox/files.system.ts";
import type { SandboxRecord } from "../sandbox/record.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import type { BusyStepOptions } from "./busy-steps.ts";
import type { PodContext } from "./context.ts";

/** The parts of a pod that its containers use; each property has the current value. */
export interface PodParts {
  readonly context: PodContext;
  readonly pod: Pod;
  readonly sandbox: SandboxRecord | undefined;
  readonly podIPs: readonly PodIP[];
  readonly facts: PodFacts;
  readonly volumes: PodVolumes;
  readonly files: readonly PodFile[];
  /** The directory of termination messages. */
  readonly messages: string;
  /** The signal that aborts when the agent stops. */
  readonly signal: AbortSignal;
  /** Runs the work when a processor is free for it. */
  readonly whenFree: <T>(
    work: () => Promise<T>,
    options: Omit<BusyStepOptions, "since">,
  ) => Promise<T>;
  /** Has the pod looked at again, since something has changed. */
  readonly changed: () => void;
  /** Returns the path of the PID namespace that a container joins; undefined if it gets its own. */
  readonly processesFor: (slot: Slot) => Promise<string | undefined>;
  /** Marks the sandbox as lost, so that a new one is made. */
  readonly loseSandbox: () => void;
  readonly remark: (type: Remark["type"], reason: string, message: string) => void;
}
