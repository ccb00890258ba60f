// What the agent asks of containers: run, outlive the agent, be found again, be spoken with.
import type { Readable, Writable } from "node:stream";
import type { CallOptions } from "../../host/command.ts";

/** Who a container belongs to; kept with it, so that the next agent knows. */
export interface ContainerLabels {
  readonly podUid: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly container: string;
  readonly kind: "init" | "container";
  /** 0 for the first, one more for each restart. */
  readonly attempt: number;
}

export interface ContainerSpec {
  /** Letters, digits, dots, underscores and hyphens; one on the node. */
  readonly id: string;
  readonly labels: ContainerLabels;
  /** What `Images.ensure` returned. */
  readonly image: string;
  /** In place of the image's entrypoint. */
  readonly command?: readonly string[];
  /** In place of the image's arguments. */
  readonly args?: readonly string[];
  /** Added to the image's. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  readonly user?: ContainerUser;
  /** Paths of namespaces to join; what is not given is the node's (network) or the container's own. */
  readonly namespaces: {
    readonly network?: string;
    readonly uts?: string;
    readonly ipc?: string;
    readonly pid?: string;
  };
  readonly mounts: readonly ContainerMount[];
  readonly resources?: { readonly cpuMillis?: number; readonly memoryBytes?: number };
  readonly security?: {
    readonly privileged?: boolean;
    readonly addCapabilities?: readonly string[];
    readonly dropCapabilities?: readonly string[];
    readonly readOnlyRoot?: boolean;
    readonly noNewPrivileges?: boolean;
  };
  readonly terminal?: boolean;
  readonly stdin?: boolean;
  /** Lines `TIME STREAM F|P TEXT`, as kubelets keep them. */
  readonly logPath: string;
}

export interface ContainerUser {
  readonly uid?: number;
  readonly gid?: number;
  readonly supplementalGroups?: readonly number[];
}

export interface ContainerMount {
  readonly source: string;
  readonly destination: string;
  readonly readOnly?: boolean;
}

export interface ContainerState {
  readonly id: string;
  readonly labels: ContainerLabels;
  readonly image: string;
  readonly logPath: string;
  readonly status: "running" | "exited";
  readonly pid?: number;
  readonly startedAt: Date;
  readonly finishedAt?: Date;
  readonly exitCode?: number;
  /** A signal's number when one ended it. */
  readonly signal?: number;
  readonly outOfMemory?: boolean;
}

export interface ExecRequest extends CallOptions {
  readonly command: readonly string[];
  readonly terminal?: boolean;
  readonly stdin?: boolean;
}

/** A command that runs inside a container, or the container itself when attached to. */
export interface ContainerSession {
  readonly stdin?: Writable;
  readonly stdout: Readable;
  /** Not with a terminal: everything is in stdout then. */
  readonly stderr?: Readable;
  /** Its exit code; rejects when it could not be started. */
  readonly exited: Promise<number>;
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
}

/** Containers outlive the agent: `list` finds those an earlier agent started. */
export interface Containers {
  /** Runs when it resolves. What a start that was killed left under this id is removed first. */
  start(spec: ContainerSpec, options?: CallOptions): Promise<ContainerState>;
  /** All that were started and not removed, exited ones included. */
  list(): Promise<readonly ContainerState[]>;
  get(id: string): Promise<ContainerState | undefined>;
  /** Resolves with the state when it has exited, at once when it has already. */
  exited(id: string, options?: CallOptions): Promise<ContainerState>;
  /** Nothing happens when it does not run. */
  kill(id: string, signal: NodeJS.Signals): Promise<void>;
  /** Kills it when it runs; its log stays. Also when there is none. */
  remove(id: string): Promise<void>;
  exec(id: string, request: ExecRequest): Promise<ContainerSession>;
  attach(id: string, request: { readonly stdin?: boolean }): Promise<ContainerSession>;
}

export type PullPolicy = "Always" | "IfNotPresent" | "Never";

export interface ImageRecord {
  /** As the user wrote it. */
  readonly name: string;
  /** sha256:… of its configuration; for what is built in, its name. */
  readonly id: string;
  readonly bytes: number;
  readonly isBuiltIn: boolean;
}

export interface Images {
  /**
   * Has the image on the node, and returns what containers use to name it. Rejects with an ImageError:
   * `isImageNeverPulled` (policy Never and not present), `isImageRefused` (not allowed here), else it
   * could not be had.
   */
  ensure(name: string, policy: PullPolicy, options?: CallOptions): Promise<ImageRecord>;
  list(): Promise<readonly ImageRecord[]>;
}
