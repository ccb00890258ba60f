// The container runtime of a node: images, bundles, containers, logs and sessions.

export type { SeccompProfile } from "./bundle/seccomp.ts";
export { openContainers } from "./containers.system.ts";
export { ImageError, isImageNameInvalid, isImageNeverPulled, isNotMountable } from "./error.ts";
export type { RegistryLogin } from "./images/logins.ts";
export { openImages } from "./images/open.system.ts";
export { type LogOptions, readLog } from "./log.ts";
export { checkCgroups, systemCgroups } from "./machine/cgroups.system.ts";
export { cgroupMounts } from "./machine/cgroups.ts";
export { systemIdentity } from "./machine/identity.system.ts";
export { endMentioning } from "./machine/processes.system.ts";
export { removeWritten } from "./machine/remove.system.ts";
export type {
  ContainerLabels,
  ContainerMount,
  ContainerSession,
  ContainerSpec,
  ContainerState,
  Containers,
  ContainerUser,
  ImageConfig,
  ImageRecord,
  ImageRoots,
  ImageStore,
  Images,
  MountKind,
  UserRange,
} from "./port.ts";
export { builtProgram, checkContainerPrograms } from "./programs.system.ts";
export { Turns } from "./turns.ts";
