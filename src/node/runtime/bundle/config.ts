// The OCI configuration (config.json) of a container, from its pod and its image.
import { ContainerError } from "../error.ts";
import type { Identity } from "../machine/identity.ts";
import type { ContainerResources, ContainerSpec, ImageRoot } from "../port.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { KeptFlags } from "./flags.ts";
import { bindMounts, systemMounts } from "./mounts.ts";
import type { OciConfig, OciDevice, OciNamespace, OciProcess } from "./oci.ts";
import { defaultSeccomp, type SeccompProfile } from "./seccomp.ts";
import type { StagedMount } from "./staged-mounts.ts";
import type { RunningUser } from "./user.ts";

export interface BundlePlan {
  /** The path where the container's root is mounted. */
  readonly root: string;
  readonly spec: ContainerSpec;
  readonly image: ImageRoot;
  readonly identity: Identity;
  readonly user: RunningUser;
  /** The staged mounts of the image, and those that the pod specifies. */
  readonly ofImage: readonly StagedMount[];
  readonly given: readonly StagedMount[];
  readonly keptFlags: KeptFlags;
  /** The machine's devices, for privileged containers. */
  readonly devices: readonly OciDevice[];
  readonly cgroup?: string;
}

export function ociConfig(plan: BundlePlan): OciConfig {
  const { spec, image, identity, cgroup } = plan;
  const privileged = spec.security?.privileged === true;
  const isUnmasked = privileged || spec.security?.isUnmasked === true;
  const showsCgroup =
    cgroup !== undefined && spec.resources !== undefined && spec.users === undefined;
  return {
    ociVersion: "1.0.2",
    process: processOf(plan),
    root: { path: plan.root, readonly: spec.security?.readOnlyRoot === true },
    mounts: [
      ...systemMounts(spec, { identity, showsCgroup }),
      ...bindMounts(plan.ofImage, plan.keptFlags),
      ...bindMounts(plan.given, plan.keptFlags),
    ],
    linux: {
      namespaces: namespacesOf(spec, showsCgroup),
      ...mappingsOf(spec),
      devices: plan.devices,
      maskedPaths: [...image.hidden, ...(isUnmasked ? [] : masked)],
      readonlyPaths: isUnmasked ? [] : readOnly,
      ...(cgroup !== undefined && { cgroupsPath: `${cgroup}/${spec.id}` }),
      ...seccompOf(plan),
      resources: {
        devices: [{ allow: privileged, access: "rwm" }],
        ...(cgroup !== undefined && limitsOf(spec.resources ?? {}, identity)),
      },
    },
  };
}

function seccompOf({ spec, identity }: BundlePlan): { readonly seccomp?: SeccompProfile } {
  const { security = {} } = spec;
  if (security.seccomp === undefined || security.privileged === true) return {};
  if (security.seccomp !== "default") return { seccomp: security.seccomp };
  return { seccomp: defaultSeccomp(capabilitiesOf(security, identity.capabilities)) };
}

function processOf({ spec, image, user, identity }: BundlePlan): OciProcess {
  const { security = {}, terminal = false } = spec;
  const capabilities = capabilitiesOf(security, identity.capabilities);
  return {
    terminal,
    user,
    args: argumentsOf(spec, image),
    env: environmentOf(spec, image),
    cwd: spec.workingDirectory ?? (image.config.workingDirectory || "/"),
    capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
    noNewPrivileges: security.noNewPrivileges === true,
  };
}

/**
 * Returns the command line. The image's arguments belong to its entrypoint: another command does not get
 * them.
 */
function argumentsOf(spec: ContainerSpec, { config }: ImageRoot): readonly string[] {
  const { command = [], args = [] } = spec;
  const hasCommand = command.length > 0;
  const rest = hasCommand || args.length > 0 ? args : config.command;
  const all = [...(hasCommand ? command : config.entrypoint), ...rest];
  if (all.length > 0) return all;
  const state = `neither the pod nor the image ${spec.image} has a command`;
  throw new ContainerError(`Cannot start container ${spec.labels.container}: ${state}`, {
    reason: "failed",
  });
}

function environmentOf(spec: ContainerSpec, { config }: ImageRoot): readonly string[] {
  const environment = {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...(spec.terminal === true && { TERM: "xterm" }),
    ...config.environment,
    ...spec.environment,
  };
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}

function namespacesOf(spec: ContainerSpec, showsCgroup: boolean): readonly OciNamespace[] {
  const { network, pid, ipc, uts, user } = spec.namespaces;
  const namespace = (type: OciNamespace["type"], path?: string): OciNamespace =>
    path === undefined ? { type } : { type, path };
  return [
    ...(user === undefined ? [] : [namespace("user", user)]),
    namespace("mount"),
    namespace("pid", pid),
    namespace("ipc", ipc),
    namespace("uts", uts),
    ...(network === undefined ? [] : [namespace("network", network)]),
    ...(showsCgroup ? [namespace("cgroup")] : []),
  ];
}

function mappingsOf({ users }: ContainerSpec) {
  if (users === undefined) return {};
  const mappings = [{ containerID: 0, hostID: users.first, size: users.count }];
  return { uidMappings: mappings, gidMappings: mappings };
}

/** The scheduler period, in microseconds, in which a container may use its CPU quota. */
const period = 100_000;

function limitsOf(
  { cpuRequestMillis, cpuMillis, memoryBytes, pids }: ContainerResources,
  { isRootless }: Identity,
) {
  // A user's own cgroup may lack the controller of processors; containers that ask for none do without it.
  const hasCpu = !isRootless || cpuRequestMillis !== undefined || cpuMillis !== undefined;
  return {
    ...(pids !== undefined && { pids: { limit: pids } }),
    ...(memoryBytes !== undefined && { memory: { limit: memoryBytes } }),
    ...(hasCpu && {
      cpu: {
        shares: sharesOf(cpuRequestMillis ?? cpuMillis ?? 0),
        ...(cpuMillis !== undefined && { quota: quotaOf(cpuMillis), period }),
      },
    }),
  };
}

/** Returns the limits of a running container; -1 lifts a limit that it had before. */
export function changedLimits({ cpuRequestMillis, cpuMillis, memoryBytes }: ContainerResources) {
  return {
    memory: { limit: memoryBytes ?? -1 },
    cpu: {
      shares: sharesOf(cpuRequestMillis ?? cpuMillis ?? 0),
      quota: cpuMillis === undefined ? -1 : quotaOf(cpuMillis),
      period,
    },
  };
}

/** The fewest shares and the shortest quota that the kernel accepts, and the most shares. */
const fewestShares = 2;
const mostShares = 262_144;
const shortestQuota = 1000;

function sharesOf(millis: number): number {
  return Math.min(mostShares, Math.max(fewestShares, Math.floor((millis * 1024) / 1000)));
}

function quotaOf(millis: number): number {
  return Math.max(shortestQuota, Math.floor((millis * period) / 1000));
}

/** The paths masked in containers, since they show too much of the machine. */
const masked = [
  "/proc/acpi",
  "/proc/asound",
  "/proc/kcore",
  "/proc/keys",
  "/proc/latency_stats",
  "/proc/sched_debug",
  "/proc/scsi",
  "/proc/timer_list",
  "/proc/timer_stats",
  "/sys/devices/virtual/powercap",
  "/sys/firmware",
];

const readOnly = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"];
