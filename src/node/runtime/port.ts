// The interfaces of the container runtime: containers, their sessions, and images.
import type { Readable, Writable } from "node:stream";
import type { CallOptions, Commands } from "../../base/host/command.ts";
import type { SeccompProfile } from "./bundle/seccomp.ts";
import type { RegistryLogin } from "./images/logins.ts";

/** The pod and container that a runtime container belongs to; stored with it for the next agent. */
export interface ContainerLabels {
  readonly podUid: string;
  readonly podNamespace: string;
  readonly podName: string;
  readonly container: string;
  readonly kind: "init" | "container";
  /** The number of restarts before this container: 0 for the first. */
  readonly attempt: number;
}

export interface ContainerSpec {
  /** The id, unique on the node: letters, digits, dots, underscores and hyphens. */
  readonly id: string;
  readonly labels: ContainerLabels;
  /** The image id that `Images.ensure` returned. */
  readonly image: string;
  /** The command that replaces the image's entrypoint. */
  readonly command?: readonly string[];
  /** The arguments that replace the image's command. */
  readonly args?: readonly string[];
  /** The environment variables added to the image's. */
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  readonly user?: ContainerUser;
  /**
   * Paths of namespaces to join. Without one, the network is the node's; other namespaces are the container's
   * own.
   */
  readonly namespaces: {
    readonly network?: string;
    readonly uts?: string;
    readonly ipc?: string;
    readonly pid?: string;
    /** The user namespace that owns the other given namespaces. */
    readonly user?: string;
  };
  /** The machine's user ids that the user namespace maps to the container's, from 0 on. */
  readonly users?: UserRange;
  readonly mounts: readonly ContainerMount[];
  readonly resources?: ContainerResources;
  readonly security?: {
    readonly privileged?: boolean;
    readonly addCapabilities?: readonly string[];
    readonly dropCapabilities?: readonly string[];
    readonly readOnlyRoot?: boolean;
    readonly noNewPrivileges?: boolean;
    /** Whether all of /proc is visible (procMount Unmasked), which is safe in a user namespace. */
    readonly isUnmasked?: boolean;
    /** The seccomp profile; unconfined when not given, or when privileged. */
    readonly seccomp?: "default" | SeccompProfile;
  };
  readonly terminal?: boolean;
  readonly stdin?: boolean;
  /** Whether stdin is closed when the first attached session ends. */
  readonly stdinOnce?: boolean;
  /** The path of the log, with lines `TIME STREAM F|P TEXT` as the kubelet's. */
  readonly logPath: string;
}

export interface ContainerResources {
  /** The share of processors that the container gets when they are scarce. */
  readonly cpuRequestMillis?: number;
  /** The limit of processor time. */
  readonly cpuMillis?: number;
  readonly memoryBytes?: number;
  /** The maximum number of processes and threads. */
  readonly pids?: number;
}

export interface UserRange {
  readonly first: number;
  readonly count: number;
}

export interface ContainerUser {
  readonly uid?: number;
  readonly gid?: number;
  readonly supplementalGroups?: readonly number[];
  /** Whether the groups from the image's /etc/group are left out (supplementalGroupsPolicy Strict). */
  readonly isStrict?: boolean;
}

export interface ContainerMount {
  readonly source: string;
  readonly destination: string;
  readonly readOnly?: boolean;
  /** Whether submounts are read-only, too (recursiveReadOnly). */
  readonly isReadOnlyThroughout?: boolean;
  /** Whether programs and devices in the source are nothing but files. */
  readonly isInert?: boolean;
  /** The subpath of the source that is mounted; it never leads out of the source. */
  readonly inside?: string;
  /** Whether missing folders of the subpath are created. */
  readonly isMade?: boolean;
  /** Whether the source is the agent's own: a symbolic link in its place is refused. */
  readonly isOwn?: boolean;
  /** The file type that the source must have. */
  readonly kind?: MountKind;
  /** The pod's field that asks for the mount, for messages; the destination when not given. */
  readonly field?: string;
}

export type MountKind = "Directory" | "File" | "Socket" | "CharDevice" | "BlockDevice";

export interface ContainerState {
  readonly id: string;
  readonly labels: ContainerLabels;
  readonly image: string;
  readonly logPath: string;
  /** The directory of what the container has changed in its root; absent where nothing is kept. */
  readonly changes?: string;
  readonly status: "running" | "exited";
  readonly pid?: number;
  readonly startedAt: Date;
  readonly finishedAt?: Date;
  readonly exitCode?: number;
  /** The number of the signal that ended the container, if known; the exit code is above 128 then. */
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

/** The streams of a command in a container (exec), or of the container itself (attach). */
export interface ContainerSession {
  readonly stdin?: Writable;
  readonly stdout: Readable;
  /** The error stream; absent with a terminal, whose output is all in stdout. */
  readonly stderr?: Readable;
  /** Resolves to the exit code; rejects when the command could not be started. */
  readonly exited: Promise<number>;
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
}

/** The containers of a node. They outlive the agent: `list` finds those an earlier agent started. */
export interface Containers {
  /**
   * Starts a container; it runs when this resolves. Leftovers of an interrupted start of the same id are
   * removed first.
   */
  start(spec: ContainerSpec, options?: CallOptions): Promise<ContainerState>;
  /** Lists all containers that were started and not removed, exited ones included. */
  list(): Promise<readonly ContainerState[]>;
  get(id: string): Promise<ContainerState | undefined>;
  /** Resolves with the container's state when it has exited, at once if it already has. */
  exited(id: string, options?: CallOptions): Promise<ContainerState>;
  /** Changes the limits of a running container; limits that are not given are lifted. */
  resize(id: string, resources: ContainerResources): Promise<void>;
  /** Sends a signal to the container; a no-op when it does not run. */
  kill(id: string, signal: NodeJS.Signals): Promise<void>;
  /** Removes a container, if there is one, and kills it if it runs; its log stays. */
  remove(id: string): Promise<void>;
  exec(id: string, request: ExecRequest): Promise<ContainerSession>;
  attach(id: string, request: AttachRequest): Promise<ContainerSession>;
}

/** The containers of a node, as `openContainers(options)` in containers.ts opens them. */
export interface NodeContainers extends Containers {
  /** Clears leftovers of interrupted starts and removals; returns their ids. */
  collect(): Promise<readonly string[]>;
  /** Rotates logs that exceed their size, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Stops watching for exits; containers keep running. */
  close(): Promise<void>;
}

export interface ContainersOptions {
  /** The directory, this node's alone and on a disk, for what containers write and for their state. */
  readonly directory: string;
  readonly commands: Commands;
  readonly images: ImageRoots;
  /** The parent of the containers' cgroups, such as `/tandem/node-1`; containers have none without it. */
  readonly cgroup?: string;
  readonly logs?: LogLimits;
  /** The path of the program tandem-sandbox; the one built with this program when not given. */
  readonly helper?: string;
}

export interface LogLimits {
  /** The size above which a log is rotated; 10 MiB when not given. */
  readonly maxBytes?: number;
  /** The number of rotated files kept; 4 when not given. */
  readonly kept?: number;
}

export type PullPolicy = "Always" | "IfNotPresent" | "Never";

export interface ImageRecord {
  /** The name as the user wrote it. */
  readonly name: string;
  /** The digest (sha256:…) of the image's configuration; the name of a built-in image. */
  readonly id: string;
  readonly bytes: number;
  readonly isBuiltIn: boolean;
}

export interface PullOptions extends CallOptions {
  /** The logins to registries; those that match the image are tried one after the other. */
  readonly logins?: readonly RegistryLogin[];
}

export interface Images {
  /**
   * Makes sure that the image is on the node, and returns its record, whose id containers use. Rejects with
   * an ImageError: `isImageNeverPulled` (policy Never and not present), `isImageRefused` (not allowed here),
   * or another one when the image could not be pulled.
   */
  ensure(name: string, policy: PullPolicy, options?: PullOptions): Promise<ImageRecord>;
  list(): Promise<readonly ImageRecord[]>;
}

/** The images of a node, as `openImages(options)` in images/open.ts opens them. */
export interface ImageStore extends Images, ImageRoots {
  /** Loads the images of a docker-archive or an OCI archive, under their names in it. */
  load(archive: string, options?: LoadOptions): Promise<readonly ImageRecord[]>;
  /** Removes an image; rejects when a container uses it. */
  remove(name: string): Promise<void>;
}

export interface LoadOptions extends CallOptions {
  /** The name that replaces the one in the archive, which must contain a single image then. */
  readonly name?: string;
}

export interface ImagesOptions {
  /** The directory of the images, on a disk; several nodes of one machine may share it. */
  readonly directory: string;
  readonly commands: Commands;
  readonly builtIn?: BuiltInImages;
}

/** The settings of the built-in images; an image without settings is refused. */
export interface BuiltInImages {
  /** `tandem.internal/echo`: the path of the compiled program. */
  readonly echo?: { readonly program: string };
  /** `tandem.internal/pause`: the path of tandem-sandbox, which is the first process of shared namespaces. */
  readonly pause?: { readonly program: string };
  /** `tandem.internal/host`: directories of /usr that no container gets to see. */
  readonly host?: { readonly hidden: readonly string[] };
  /** `tandem.internal/tandem`: the directory of this program, whose bin/tandem is started. */
  readonly tandem?: { readonly directory: string; readonly hidden: readonly string[] };
}

/** The lookup of an image's content by the `id` of its record. */
export interface ImageRoots {
  rootOf(id: string): Promise<ImageRoot>;
}

export interface ImageRoot {
  /** The root directory of the image, which is never written to. */
  readonly directory: string;
  readonly config: ImageConfig;
  readonly mounts: readonly ContainerMount[];
  /** Directories that containers see as empty. */
  readonly hidden: readonly string[];
}

export interface ImageConfig {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The user as `USER[:GROUP]`, each a number or a name; empty for root. */
  readonly user: string;
  readonly workingDirectory: string;
}
