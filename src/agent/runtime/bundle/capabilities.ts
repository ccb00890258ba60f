import { HostError } from "../../../host/error.ts";

export interface CapabilityChanges {
  readonly privileged?: boolean;
  readonly addCapabilities?: readonly string[];
  readonly dropCapabilities?: readonly string[];
}

/** With or without CAP_ in front; ALL stands for every one. What is added counts more. */
export function capabilitiesOf(changes: CapabilityChanges): readonly string[] {
  if (changes.privileged === true) return known;
  const added = expand(changes.addCapabilities ?? []);
  const dropped = expand(changes.dropCapabilities ?? []);
  return known.filter(
    (name) => added.includes(name) || (usual.includes(name) && !dropped.includes(name)),
  );
}

function expand(names: readonly string[]): readonly string[] {
  return names.flatMap((given) => {
    const name = given.toUpperCase();
    if (name === "ALL") return known;
    const full = name.startsWith("CAP_") ? name : `CAP_${name}`;
    if (known.includes(full)) return [full];
    throw new HostError(`Cannot change capability ${given}: there is none of that name`, {
      reason: "invalid",
    });
  });
}

/** What containers have when nothing is said, with Docker and containerd alike. */
const usual = [
  "CAP_CHOWN",
  "CAP_DAC_OVERRIDE",
  "CAP_FOWNER",
  "CAP_FSETID",
  "CAP_KILL",
  "CAP_SETGID",
  "CAP_SETUID",
  "CAP_SETPCAP",
  "CAP_NET_BIND_SERVICE",
  "CAP_NET_RAW",
  "CAP_SYS_CHROOT",
  "CAP_MKNOD",
  "CAP_AUDIT_WRITE",
  "CAP_SETFCAP",
];

const known = [
  ...usual,
  "CAP_AUDIT_CONTROL",
  "CAP_AUDIT_READ",
  "CAP_BLOCK_SUSPEND",
  "CAP_BPF",
  "CAP_CHECKPOINT_RESTORE",
  "CAP_DAC_READ_SEARCH",
  "CAP_IPC_LOCK",
  "CAP_IPC_OWNER",
  "CAP_LEASE",
  "CAP_LINUX_IMMUTABLE",
  "CAP_MAC_ADMIN",
  "CAP_MAC_OVERRIDE",
  "CAP_NET_ADMIN",
  "CAP_NET_BROADCAST",
  "CAP_PERFMON",
  "CAP_SYSLOG",
  "CAP_SYS_ADMIN",
  "CAP_SYS_BOOT",
  "CAP_SYS_MODULE",
  "CAP_SYS_NICE",
  "CAP_SYS_PACCT",
  "CAP_SYS_PTRACE",
  "CAP_SYS_RAWIO",
  "CAP_SYS_RESOURCE",
  "CAP_SYS_TIME",
  "CAP_SYS_TTY_CONFIG",
  "CAP_WAKE_ALARM",
];
