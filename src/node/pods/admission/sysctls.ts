// The sysctls a pod may set: only those of a namespace that is the pod's own.

import { dottedSysctl, isNamespacedSysctl, sysctlScope } from "../../../api/kinds/pod.ts";
import type { Pod } from "../../../api/types/core.ts";
import { UsageError } from "../../../base/program/errors.ts";
import type { Refusal } from "./refusal.ts";

/** The sysctls that Kubernetes calls safe: they affect no other pods and exceed none of the pod's limits. */
const safe = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ping_group_range",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.tcp_wmem",
];

/**
 * Parses names, or prefixes followed by a star. Sysctls that are not namespaced are refused: they would
 * change the whole node.
 */
export function parseSysctlPatterns(patterns: readonly string[]): readonly string[] {
  return patterns.map((pattern) => {
    const begin = pattern.replace(/\*$/, "");
    const isPattern = /^[a-z0-9][-_a-z0-9./]*$/.test(begin);
    if (isPattern && isNamespacedSysctl(dottedSysctl(begin))) return dottedSysctl(pattern);
    const state = isPattern ? "it is not known to have a namespace" : "it is no NAME or NAME*";
    throw new UsageError(`Cannot use --allowed-unsafe-sysctls "${pattern}": ${state}`);
  });
}

export function sysctlRefusal({ spec }: Pod, allowed: readonly string[]): Refusal | undefined {
  const shared = { network: spec.hostNetwork === true, ipc: spec.hostIPC === true };
  const shares = { network: "host net", ipc: "host ipc" };
  for (const { name = "" } of spec.securityContext?.sysctls ?? []) {
    const refuse = (state: string): Refusal => ({
      reason: "SysctlForbidden",
      message: `forbidden sysctl: ${JSON.stringify(name)} ${state}`,
    });
    const scope = sysctlScope(dottedSysctl(name));
    const isListed = [...safe, ...allowed].some((pattern) => matches(dottedSysctl(name), pattern));
    if (scope === undefined || !isListed) return refuse("not allowlisted");
    if (shared[scope]) return refuse(`not allowed with ${shares[scope]} enabled`);
  }
  return undefined;
}

function matches(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
