// Settings of the kernel that a namespace has for itself. All others are the machine's.

export type SysctlScope = "ipc" | "network";

const part = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
export const sysctlFormat = `^(${part}[\\./])*${part}$`;

/** Of a name with dots; nothing for one that belongs to no namespace a pod has. */
export function sysctlScope(name: string): SysctlScope | undefined {
  if (!new RegExp(sysctlFormat).test(name)) return undefined;
  if (name.startsWith("net.")) return "network";
  return /^(?:fs\.mqueue\.|kernel\.(?:sem$|shm|msg))/.test(name) ? "ipc" : undefined;
}

/** Also of the beginning of a name, if all that begin so have a namespace. */
export function isNamespacedSysctl(begin: string): boolean {
  return /^(?:net\.|fs\.mqueue\.|kernel\.(?:sem$|shm|msg))/.test(begin);
}

/**
 * With dots between its parts. A name whose first separator is a slash may have dots inside of a part, such as
 * that of an interface.
 */
export function dottedSysctl(name: string): string {
  return /^[^./]*\//.test(name) ? swapped(name) : name;
}

/** Below /proc/sys. */
export function sysctlPath(name: string): string {
  return swapped(dottedSysctl(name));
}

function swapped(name: string): string {
  return name.replaceAll(/[./]/g, (separator) => (separator === "." ? "/" : "."));
}
