import type { Family } from "../net/family.ts";
import type { Commands } from "./command.ts";
import { CommandError, restated } from "./error.ts";
import type { Iptables } from "./iptables.ts";

interface Options {
  readonly family: Family;
  /** The variant of the tools: "nft" writes nf_tables rules, "legacy" the kernel's older tables. */
  readonly variant: "nft" | "legacy";
  /** The lock file of the legacy tools; an ordinary user cannot write their default in /run. */
  readonly lockFile?: string;
}

/** The time the legacy tools wait for each other's lock. */
const waitSeconds = 30;

export function systemIptables(commands: Commands, options: Options): Iptables {
  const { family, variant, lockFile } = options;
  const tool = `${family === "IPv4" ? "iptables" : "ip6tables"}-${variant}`;
  const environment = lockFile === undefined ? {} : { XTABLES_LOCKFILE: lockFile };
  return {
    family,
    async restore(text, { signal } = {}) {
      const command = [`${tool}-restore`, "--noflush", "--wait", String(waitSeconds)];
      try {
        await commands.run(command, { stdin: text, environment, signal });
      } catch (error) {
        throw error instanceof CommandError ? withLine(error, text) : error;
      }
    },
    async save(table, { signal } = {}) {
      const { stdout } = await commands.run([`${tool}-save`, "-t", table], { environment, signal });
      return stdout.replaceAll(/^#.*\n/gm, "").replaceAll(/\[\d+:\d+\]/g, "[0:0]");
    },
  };
}

/** Adds the failed line to an error, since the legacy tools only tell its number. */
function withLine(error: CommandError, text: string): CommandError {
  const number = /\bline:? (\d+)/.exec(error.stderr)?.[1];
  const line = text.split("\n")[Number(number) - 1];
  if (line === undefined) return error;
  return restated(error, { message: `${error.message.trimEnd()}\nin line ${number}: ${line}` });
}
