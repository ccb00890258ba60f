// Kernel settings (sysctls) that belong to a namespace. All others are the machine's.

export type SysctlScope = "ipc" | "network";

const part = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
export const sysctlFormat = `^(${part}[\\./])*${part}$`;

/** Returns the namespace of a sysctl with a dotted name; `undefined` when it belongs to none a pod has. */
export function sysctlScope(name: string): SysctlScope | undefined {
  if (!new RegExp(sysctlFormat).test(name)) return undefined;
  if (name.startsWith("net.")) return "network";
  return /^(?:fs\.mqueue\.|kernel\.(?:sem$|shm|msg))/.test(name) ? "ipc" : undefined;
}

/** Returns whether a sysctl is namespaced; with a prefix, whether all that begin with it are. */
export function isNamespacedSysctl(begin: string): boolean {
  return /^(?:net\.|fs\.mqueue\.|kernel\.(?:sem$|shm|msg))/.test(begin);
}

/**
 * Returns the dotted form of a name. A name whose first separator is a slash may have dots inside of a part,
 * such as the name of an interface.
 */
export function dottedSysctl(name: string): string {
  return /^[^./]*\//.test(name) ? swapped(name) : name;
}

/** Returns the path of a sysctl below /proc/sys. */
export function sysctlPath(name: string): string {
  return swapped(dottedSysctl(name));
}

function swapped(name: string): string {
  return name.replaceAll(/[./]/g, (separator) => (separator === "." ? "/" : "."));
}
