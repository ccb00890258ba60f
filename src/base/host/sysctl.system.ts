import type { Commands } from "./command.ts";
import type { Sysctl } from "./sysctl.ts";

/** Runs sysctl(8), since /proc/sys/net shows the namespace of the process that reads it. */
export function systemSysctl(commands: Commands): Sysctl {
  return {
    async read(keys, { signal } = {}) {
      if (keys.length === 0) return [];
      const { stdout } = await commands.run(["sysctl", "--values", ...keys], { signal });
      return stdout.trimEnd().split("\n");
    },
    async write(settings, { signal } = {}) {
      const assignments = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
      if (assignments.length === 0) return;
      await commands.run(["sysctl", "--quiet", "--write", ...assignments], { signal });
    },
  };
}
