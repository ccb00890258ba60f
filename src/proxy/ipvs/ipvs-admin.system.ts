import type { Commands } from "../../host/command.ts";
import { CommandError, isNotFound, restated } from "../../host/error.ts";
import type { IpvsAdmin } from "./ipvs-admin.ts";

export function systemIpvsAdmin(commands: Commands): IpvsAdmin {
  const run = async (
    args: readonly string[],
    options: Parameters<Commands["run"]>[1],
  ): Promise<string> => {
    try {
      return (await commands.run(["ipvsadm", ...args], options)).stdout;
    } catch (error) {
      throw error instanceof CommandError ? explained(error) : error;
    }
  };
  return {
    async restore(lines, { signal } = {}) {
      if (lines.length === 0) return;
      await run(["--restore"], { stdin: `${lines.join("\n")}\n`, signal });
    },
    async save({ signal } = {}) {
      const text = await run(["--save", "--numeric"], { signal });
      return text.split("\n").filter((line) => line !== "");
    },
    async connections(service, { signal } = {}) {
      try {
        const text = await run(["--list", "--numeric", ...service.split(" ")], { signal });
        return new Map(text.split("\n").flatMap(readServer));
      } catch (error) {
        if (isNotFound(error)) return new Map();
        throw error;
      }
    },
  };
}

/** `  -> 10.1.2.11:8080  Masq  1  0  3`: the last two are active and other connections. */
function readServer(line: string): readonly (readonly [string, number])[] {
  const [, server, active, other] = /^ {2}-> (\S+)\s+Masq\s+\d+\s+(\d+)\s+(\d+)/.exec(line) ?? [];
  return server === undefined ? [] : [[server, Number(active) + Number(other)]];
}

function explained(error: CommandError): CommandError {
  if (/No such (?:service|destination)/i.test(error.stderr)) {
    return restated(error, { reason: "not-found" });
  }
  const missing = missingModules.find(([phrase]) => phrase.test(error.stderr))?.[1];
  if (missing === undefined) return error;
  const message = `Cannot use ipvs: the kernel has no module ${missing}`;
  return restated(error, { message, reason: "not-supported" });
}

const missingModules: readonly (readonly [RegExp, string])[] = [
  [/Can't initialize ipvs|Are you sure that IP Virtual Server/i, "ip_vs"],
  [/Scheduler .*not found/i, "for that scheduler (ip_vs_rr for rr)"],
];
