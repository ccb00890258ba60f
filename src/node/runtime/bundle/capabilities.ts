import { HostError } from "../../../base/host/error.ts";

export interface CapabilityChanges {
  readonly privileged?: boolean;
  readonly addCapabilities?: readonly string[];
  readonly dropCapabilities?: readonly string[];
}

/**
 * Returns a container's capabilities. Names may have the prefix CAP_; ALL stands for all that can be given,
 * whose bits are set in `ours`. Added capabilities take precedence over dropped ones.
 */
export function capabilitiesOf(changes: CapabilityChanges, ours: bigint): readonly string[] {
  const all = known.filter((_, number) => ((ours >> BigInt(number)) & 1n) === 1n);
  if (changes.privileged === true) return all.map(inFull);
  const dropped = expand(changes.dropCapabilities ?? [], known);
  const added = expand(changes.addCapabilities ?? [], all);
  return known
    .filter((name) => added.includes(name) || (usual.includes(name) && !dropped.includes(name)))
    .map(inFull);
}

function inFull(name: string): string {
  return `CAP_${name}`;
}

function expand(names: readonly string[], all: readonly string[]): readonly string[] {
  return names.flatMap((given) => {
    const name = given.toUpperCase().replace(/^CAP_/, "");
    if (name === "ALL") return all;
    if (known.includes(name)) return [name];
    throw new HostError(`Cannot change capability ${given}: there is none of that name`, {
      reason: "invalid",
    });
  });
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** The default capabilities of containers, the same as with Docker and containerd. */
const usual = words(`
  CHOWN DAC_OVERRIDE FOWNER FSETID KILL SETGID SETUID SETPCAP NET_BIND_SERVICE NET_RAW SYS_CHROOT
  MKNOD AUDIT_WRITE SETFCAP`);

/** All capabilities, in the order of the kernel's numbers. */
const known = words(`
  CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE
  NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT
  SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE
  AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ
  PERFMON BPF CHECKPOINT_RESTORE`);
