// What the agent asks of containers: run, outlive the agent, be found again, be spoken with.
import type { Readable, Writable } from "node:stream";
import type { CallOptions, Commands } from "../../base/host/command.ts";
import type { SeccompProfile } from "./bundle/seccomp.ts";
import type { RegistryLogin } from "./images/logins.ts";

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
    /** A user namespace, of which the others that are named are. */
    readonly user?: string;
  };
  /** Those of the machine that are the container's users from 0 on, with a user namespace. */
  readonly users?: UserRange;
  readonly mounts: readonly ContainerMount[];
  readonly resources?: {
    readonly cpuMillis?: number;
    readonly memoryBytes?: number;
    /** How many processes and threads at once. */
    readonly pids?: number;
  };
  readonly security?: {
    readonly privileged?: boolean;
    readonly addCapabilities?: readonly string[];
    readonly dropCapabilities?: readonly string[];
    readonly readOnlyRoot?: boolean;
    readonly noNewPrivileges?: boolean;
    /** Sees all of /proc, as is safe in a user namespace. */
    readonly isUnmasked?: boolean;
    /** What it is held back from asking of the kernel; nothing when not given, or privileged. */
    readonly seccomp?: "default" | SeccompProfile;
  };
  readonly terminal?: boolean;
  readonly stdin?: boolean;
  /** Its input ends with the first session that was attached to it. */
  readonly stdinOnce?: boolean;
  /** Lines `TIME STREAM F|P TEXT`, as kubelets keep them. */
  readonly logPath: string;
}

export interface UserRange {
  readonly first: number;
  readonly count: number;
}

export interface ContainerUser {
  readonly uid?: number;
  readonly gid?: number;
  readonly supplementalGroups?: readonly number[];
  /** No groups that the image gives its users. */
  readonly isStrict?: boolean;
}

export interface ContainerMount {
  readonly source: string;
  readonly destination: string;
  readonly readOnly?: boolean;
  /** What is mounted inside of it is to be read only, too. */
  readonly isReadOnlyThroughout?: boolean;
  /** The part of the source that is mounted; never anything that is not beneath it. */
  readonly inside?: string;
  /** Folders that lead to the part are made when they are missing. */
  readonly isMade?: boolean;
  /** The source is the agent's: a link in its place is refused. */
  readonly isOwn?: boolean;
  /** What the source must be. */
  readonly kind?: MountKind;
  /** What the user calls it, for messages; its destination when not given. */
  readonly field?: string;
}

export type MountKind = "Directory" | "File" | "Socket" | "CharDevice" | "BlockDevice";

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
  /** A signal's number, where it is known that one ended it; the code is 128 and more then. */
  readonly signal?: number;
  readonly outOfMemory?: boolean;
}

export interface ExecRequest extends CallOptions {
  readonly command: readonly string[];
  readonly terminal?: boolean;
  readonly stdin?: boolean;
}

export interface AttachRequest extends CallOptions {
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
  attach(id: string, request: AttachRequest): Promise<ContainerSession>;
}

/** What a node opens with `openContainers(options)` in containers.ts. */
export interface NodeContainers extends Containers {
  /** Clears what killed starts and removals left behind; the ids. */
  collect(): Promise<readonly string[]>;
  /** Keeps logs below their size, until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** Watches for exits no longer; containers go on. */
  close(): Promise<void>;
}

export interface ContainersOptions {
  /** This node's alone, on a disk: what containers write, and what is known of them. */
  readonly directory: string;
  readonly commands: Commands;
  readonly images: ImageRoots;
  /** Every container gets a cgroup below this path, such as `/tandem/node-1`; none without it. */
  readonly cgroup?: string;
  readonly logs?: LogLimits;
  /** The program tandem-sandbox; the one that was built with this program when not given. */
  readonly helper?: string;
}

export interface LogLimits {
  /** A log that has become larger is put aside; 10 MiB when not given. */
  readonly maxBytes?: number;
  /** How many are kept aside; 4 when not given. */
  readonly kept?: number;
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

export interface PullOptions extends CallOptions {
  /** Those that are for the image are tried, one after the other. */
  readonly logins?: readonly RegistryLogin[];
}

export interface Images {
  /**
   * Has the image on the node, and returns what containers use to name it. Rejects with an ImageError:
   * `isImageNeverPulled` (policy Never and not present), `isImageRefused` (not allowed here), else it
   * could not be had.
   */
  ensure(name: string, policy: PullPolicy, options?: PullOptions): Promise<ImageRecord>;
  list(): Promise<readonly ImageRecord[]>;
}

/** What a node opens with `openImages(options)` in images/open.ts. */
export interface ImageStore extends Images, ImageRoots {
  /** Takes the images of a docker-archive or of an OCI archive, named as they are there. */
  load(archive: string, options?: LoadOptions): Promise<readonly ImageRecord[]>;
  /** Rejects when a container uses it. */
  remove(name: string): Promise<void>;
}

export interface LoadOptions extends CallOptions {
  /** In place of the name in the archive, which then holds one image. */
  readonly name?: string;
}

export interface ImagesOptions {
  /** On a disk; several nodes of one machine may share it. */
  readonly directory: string;
  readonly commands: Commands;
  readonly builtIn?: BuiltInImages;
}

/** What each of the built-in images needs; one that is not given is refused. */
export interface BuiltInImages {
  /** `tandem.internal/echo`: the compiled program. */
  readonly echo?: { readonly program: string };
  /** `tandem.internal/host`: directories of /usr that no container gets to see. */
  readonly host?: { readonly hidden: readonly string[] };
  /** `tandem.internal/tandem`: the directory of this program, whose bin/tandem is started. */
  readonly tandem?: { readonly directory: string; readonly hidden: readonly string[] };
}

/** How containers find what an image consists of, by the `id` of its record. */
export interface ImageRoots {
  rootOf(id: string): Promise<ImageRoot>;
}

export interface ImageRoot {
  /** Never written to. */
  readonly directory: string;
  readonly config: ImageConfig;
  readonly mounts: readonly ContainerMount[];
  /** Directories of which containers see only that they are there. */
  readonly hidden: readonly string[];
}

export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** `USER[:GROUP]`, each a number or a name; empty for root. */
  readonly user: string;
  readonly workingDirectory: string;
}
