import type { Remark } from "../../../api/client/events.ts";
import type { Pod, PodIP } from "../../../api/types/core.ts";
import type { PodFacts } from "../environment/facts.ts";
import type { PodFile } from "../sandbox/files.ts";
import type { SandboxRecord } from "../sandbox/record.ts";
import type { PodVolumes } from "../volumes/pod-volumes.ts";
import type { BusyStepOptions } from "./busy-steps.ts";
import type { PodContext } from "./context.ts";

/** What the containers of a pod have of it; always as it is now. */
export interface PodParts {
  readonly context: PodContext;
  readonly pod: Pod;
  readonly sandbox: SandboxRecord | undefined;
  readonly podIPs: readonly PodIP[];
  readonly facts: PodFacts;
  readonly volumes: PodVolumes;
  readonly files: readonly PodFile[];
  /** Where last words are left. */
  readonly messages: string;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
  /** Does it when processors are free for it. */
  readonly whenFree: <T>(
    work: () => Promise<T>,
    options: Omit<BusyStepOptions, "since">,
  ) => Promise<T>;
  /** Something is so that there may be something to do. */
  readonly changed: () => void;
  /** It is not there any more: another is needed. */
  readonly loseSandbox: () => void;
  readonly remark: (type: Remark["type"], reason: string, message: string) => void;
}
