import { readFileSync } from "node:fs";

/** Returns the number of descriptors that this process may have open. */
export function descriptorLimit(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? 1024);
}
