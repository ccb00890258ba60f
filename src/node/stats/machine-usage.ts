// The usage of the whole machine, and the counters of network interfaces.

export interface MachineUsage {
  readonly cpuNanos: bigint;
  readonly memoryBytes: number;
  readonly workingSetBytes: number;
  readonly availableBytes: number;
}

/** The kernel counts processor time in hundredths of a second (USER_HZ), on every architecture in use. */
const tickNanos = 10_000_000n;

/** Reads `/proc/stat` and `/proc/meminfo`. */
export function machineUsage(stat: string, meminfo: string): MachineUsage {
  const line = /^cpu\s+([\d ]+)$/m.exec(stat)?.[1] ?? "";
  const [user = 0n, nice = 0n, system = 0n, , , irq = 0n, softirq = 0n, steal = 0n] = line
    .split(" ")
    .map(BigInt);
  const kibibytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(meminfo)?.[1] ?? 0);
  const total = kibibytes("MemTotal");
  return {
    cpuNanos: (user + nice + system + irq + softirq + steal) * tickNanos,
    memoryBytes: (total - kibibytes("MemFree")) * 1024,
    workingSetBytes: (total - kibibytes("MemAvailable")) * 1024,
    availableBytes: kibibytes("MemAvailable") * 1024,
  };
}

export interface InterfaceUsage {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxErrors: number;
  readonly txBytes: number;
  readonly txErrors: number;
}

/** Reads `/proc/PID/net/dev`, of the network namespace of that process; without the loopback. */
export function interfacesOf(text: string): InterfaceUsage[] {
  return text.split("\n").flatMap((line) => {
    const [, name = "", counters = ""] = /^\s*([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    if (name === "" || name === "lo") return [];
    const fields = counters.split(/\s+/).map(Number);
    const at = (index: number) => fields[index] ?? 0;
    return [{ name, rxBytes: at(0), rxErrors: at(2), txBytes: at(8), txErrors: at(10) }];
  });
}
