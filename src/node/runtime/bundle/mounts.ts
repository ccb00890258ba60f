// What a container finds below its root besides its image.
import type { Identity } from "../machine/identity.ts";
import type { ContainerSpec } from "../port.ts";
import type { KeptFlags } from "./flags.ts";
import type { OciMount } from "./oci.ts";
import type { StagedMount } from "./staged-mounts.ts";

export interface MountContext {
  readonly identity: Identity;
  /** Limits can be read in /sys/fs/cgroup. */
  readonly showsCgroup: boolean;
}

/** The kernel's file systems; one is left out where the container brings its own. */
export function systemMounts(spec: ContainerSpec, context: MountContext): readonly OciMount[] {
  const own = new Set(spec.mounts.map(({ destination }) => destination));
  const mounts = [proc, devices, terminals(context.identity), shm, queues, kernel(spec, context)];
  if (context.showsCgroup) mounts.push(cgroup);
  return mounts.filter(({ destination }) => !own.has(destination));
}

/** Parents come before what is mounted inside them. */
export function bindMounts(mounts: readonly StagedMount[], kept: KeptFlags): readonly OciMount[] {
  return mounts
    .toSorted((a, b) => depth(a.destination) - depth(b.destination))
    .map(({ source, place, destination, readOnly = false, isPlain = false }) => ({
      type: "bind",
      source: place,
      destination,
      options: [
        "rbind",
        "rprivate",
        readOnly ? "ro" : "rw",
        ...new Set([...(isPlain ? ["nosuid", "nodev"] : []), ...(kept.get(source) ?? [])]),
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

/** Terminals belong to the group tty, wherever that exists. */
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

/** A new sysfs shows a network namespace, and only its owner may mount it. */
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
