import { HostError } from "./error.ts";
import type { Sysctl } from "./sysctl.ts";

/** Kernel settings in memory. Writing creates a key; reading one that was never written fails. */
export class FakeSysctl implements Sysctl {
  readonly settings = new Map<string, string>();

  /** The settings as `key = value` lines, sorted. */
  get text(): string {
    return [...this.settings]
      .map(([key, value]) => `${key} = ${value}`)
      .toSorted()
      .join("\n");
  }

  async read(keys: readonly string[]): Promise<readonly string[]> {
    return keys.map((key) => {
      const value = this.settings.get(key);
      if (value !== undefined) return value;
      throw new HostError(`Cannot read ${key}: no such setting`, { reason: "not-found" });
    });
  }

  async write(settings: Readonly<Record<string, string | number>>): Promise<void> {
    for (const [key, value] of Object.entries(settings)) this.settings.set(key, String(value));
  }
}
