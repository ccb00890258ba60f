// The mounts of a container besides its root.
import type { Identity } from "../machine/identity.ts";
import type { ContainerSpec } from "../port.ts";
import type { KeptFlags } from "./flags.ts";
import type { OciMount } from "./oci.ts";
import type { StagedMount } from "./staged-mounts.ts";

export interface MountContext {
  readonly identity: Identity;
  /** Whether /sys/fs/cgroup is mounted, where limits can be read. */
  readonly showsCgroup: boolean;
}

/** Returns the kernel's file systems, except at paths where the container mounts a volume. */
export function systemMounts(spec: ContainerSpec, context: MountContext): readonly OciMount[] {
  const own = new Set(spec.mounts.map(({ destination }) => destination));
  const mounts = [proc, devices, terminals(context.identity), shm, queues, kernel(spec, context)];
  if (context.showsCgroup) mounts.push(cgroup);
  return mounts.filter(({ destination }) => !own.has(destination));
}

/** Returns the bind mounts ordered by depth, parents first. */
export function bindMounts(mounts: readonly StagedMount[], kept: KeptFlags): readonly OciMount[] {
  return mounts
    .toSorted((a, b) => depth(a.destination) - depth(b.destination))
    .map(({ source, place, destination, readOnly = false, isPlain = false, isInert = false }) => ({
      type: "bind",
      source: place,
      destination,
      options: [
        "rbind",
        "rprivate",
        readOnly ? "ro" : "rw",
        ...new Set([
          ...(isPlain || isInert ? ["nosuid", "nodev"] : []),
          ...(isInert ? ["noexec"] : []),
          ...(kept.get(source) ?? []),
        ]),
      ],
    }));
}

const proc: OciMount = {
  destination: "/proc",
  type: "proc",
  source: "proc",
  options: ["nosuid", "noexec", "nodev"],
};

const devices: OciMount = {
  destination: "/dev",
  type: "tmpfs",
  source: "tmpfs",
  options: ["nosuid", "strictatime", "mode=755", "size=65536k"],
};

/** Returns the mount of /dev/pts. Terminals belong to the group tty where that group is mapped. */
function terminals(identity: Identity): OciMount {
  const group = identity.hasGroup(5) ? ["gid=5"] : [];
  return {
    destination: "/dev/pts",
    type: "devpts",
    source: "devpts",
    options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", ...group],
  };
}

const shm: OciMount = {
  destination: "/dev/shm",
  type: "tmpfs",
  source: "shm",
  options: ["nosuid", "noexec", "nodev", "mode=1777", "size=65536k"],
};

const queues: OciMount = {
  destination: "/dev/mqueue",
  type: "mqueue",
  source: "mqueue",
  options: ["nosuid", "noexec", "nodev"],
};

/**
 * Returns the mount of /sys. A sysfs shows the network namespace, and only that namespace's owner may mount
 * it: without a network namespace of its own, a rootless container gets the machine's /sys.
 */
function kernel(spec: ContainerSpec, { identity }: MountContext): OciMount {
  const access = spec.security?.privileged === true && !identity.isRootless ? "rw" : "ro";
  const safe = ["nosuid", "noexec", "nodev", access];
  if (identity.isRootless && spec.namespaces.network === undefined) {
    const options = ["rbind", "rprivate", ...safe];
    return { destination: "/sys", type: "bind", source: "/sys", options };
  }
  return { destination: "/sys", type: "sysfs", source: "sysfs", options: safe };
}

const cgroup: OciMount = {
  destination: "/sys/fs/cgroup",
  type: "cgroup",
  source: "cgroup",
  options: ["nosuid", "noexec", "nodev", "relatime", "ro"],
};

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}
