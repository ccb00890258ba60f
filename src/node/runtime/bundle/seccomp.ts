// The default seccomp profile. It refuses system calls that administer the machine, unless the container has
// the capability for them, and rarely needed ones that have often been used to break out of containers.

import { defined } from "../../../base/json/defined.ts";

export interface SeccompProfile {
  readonly defaultAction: string;
  readonly defaultErrnoRet?: number;
  readonly architectures?: readonly string[];
  readonly flags?: readonly string[];
  readonly syscalls?: readonly SeccompRule[];
}

interface SeccompRule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly {
    readonly index: number;
    readonly value: number;
    readonly valueTwo?: number;
    readonly op: string;
  }[];
}

const refused = "SCMP_ACT_ERRNO";
const notPermitted = 1;
const notImplemented = 38;

/** Returns the default profile; `capabilities` are those of the container, with the prefix CAP_. */
export function defaultSeccomp(
  capabilities: readonly string[],
  machine: string = process.arch,
): SeccompProfile {
  const lacks = (capability: string) => !capabilities.includes(`CAP_${capability}`);
  const names = byCapability
    .filter(({ any }) => any.every(lacks))
    .flatMap(({ calls }) => calls.split(" "));
  const known = architectures[machine];
  return {
    defaultAction: "SCMP_ACT_ALLOW",
    ...defined({ architectures: known }),
    syscalls: [
      { names, action: refused, errnoRet: notPermitted },
      ...(lacks("SYS_ADMIN") ? noNamespaces : []),
    ],
  };
}

const byCapability: readonly { readonly any: readonly string[]; readonly calls: string }[] = [
  {
    any: [],
    calls:
      "_sysctl add_key create_module get_kernel_syms io_uring_enter io_uring_register io_uring_setup kexec_file_load kexec_load keyctl move_pages nfsservctl pivot_root query_module request_key sysfs uselib userfaultfd ustat vm86 vm86old",
  },
  {
    any: ["SYS_ADMIN"],
    calls:
      "fanotify_init fsconfig fsmount fsopen fspick lookup_dcookie mount mount_setattr move_mount open_tree quotactl quotactl_fd setdomainname sethostname setns swapoff swapon umount umount2 unshare",
  },
  { any: ["SYS_ADMIN", "BPF"], calls: "bpf" },
  { any: ["SYS_ADMIN", "PERFMON"], calls: "perf_event_open" },
  { any: ["SYS_ADMIN", "SYSLOG"], calls: "syslog" },
  { any: ["DAC_READ_SEARCH"], calls: "open_by_handle_at" },
  { any: ["SYS_BOOT"], calls: "reboot" },
  { any: ["SYS_MODULE"], calls: "delete_module finit_module init_module" },
  { any: ["SYS_NICE"], calls: "get_mempolicy mbind set_mempolicy set_mempolicy_home_node" },
  { any: ["SYS_PACCT"], calls: "acct" },
  { any: ["SYS_PTRACE"], calls: "kcmp pidfd_getfd" },
  { any: ["SYS_RAWIO"], calls: "ioperm iopl" },
  { any: ["SYS_TIME"], calls: "clock_settime clock_settime64 settimeofday stime" },
  { any: ["SYS_TTY_CONFIG"], calls: "vhangup" },
];

/** The clone flags of new mount, cgroup, UTS, IPC, user, PID and network namespaces. */
const namespaceFlags = [
  0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
];

/**
 * The rules that refuse new namespaces. A filter cannot read clone3's flags, which are behind a pointer:
 * clone3 fails with ENOSYS, so that libraries fall back to clone.
 */
const noNamespaces: readonly SeccompRule[] = [
  ...namespaceFlags.map((flag) => ({
    names: ["clone"],
    action: refused,
    errnoRet: notPermitted,
    args: [{ index: 0, value: flag, valueTwo: flag, op: "SCMP_CMP_MASKED_EQ" }],
  })),
  { names: ["clone3"], action: refused, errnoRet: notImplemented },
];

/** The seccomp architectures by Node's name, including those whose programs the kernel runs as well. */
const architectures: Readonly<Record<string, readonly string[]>> = {
  x64: ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"],
  arm64: ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"],
};
