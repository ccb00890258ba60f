import type { Commands } from "../../../base/host/command.ts";
import { CommandError, isNotFound, restated } from "../../../base/host/error.ts";
import type { Connections, IpvsAdmin } from "./ipvs-admin.ts";

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
    async connections(services, { signal } = {}) {
      if (services.length === 0) return new Map();
      // A single service is listed by itself; several take one listing of all, not a program each.
      const which = services.length === 1 ? services.flatMap((one) => one.split(" ")) : [];
      try {
        return readConnections(await run(["--list", "--numeric", ...which], { signal }));
      } catch (error) {
        if (isNotFound(error)) return new Map();
        throw error;
      }
    },
  };
}

function readConnections(text: string): Connections {
  const found = new Map<string, Map<string, number>>();
  let servers = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, kind = "", name = "", isIPv6] = serviceLine.exec(line) ?? [];
    const option = serviceOptions[kind];
    if (option !== undefined) {
      servers = new Map();
      found.set(`${option} ${name}${isIPv6 === undefined ? "" : " -6"}`, servers);
    }
    const [, server, active, other] = serverLine.exec(line) ?? [];
    if (server !== undefined) servers.set(server, Number(active) + Number(other));
  }
  return found;
}

/** A virtual service as `--list` prints it: `TCP  10.96.0.1:80 rr`, `FWM  2097152001 IPv6 rr`. */
const serviceLine = /^([A-Z]+) +(\S+)( IPv6)? /;
const serviceOptions: Readonly<Record<string, string>> = {
  TCP: "-t",
  UDP: "-u",
  SCTP: "--sctp-service",
  FWM: "-f",
};
/**
 * A server as `--list` prints it, `  -> 10.1.2.11:8080  Masq  1  0  3`: the last two are active and
 * inactive connections.
 */
const serverLine = /^ {2}-> (\S+) +Masq +\d+ +(\d+) +(\d+)/;

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
