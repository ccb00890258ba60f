import { join } from "node:path";
import type { Clock } from "../../../base/host/clock.ts";
import type { Commands } from "../../../base/host/command.ts";
import type { Log } from "../../../base/program/log.ts";
import { Program } from "./program.ts";

export type ProgramName = "keepalived" | "haproxy";

interface Kind {
  readonly file: string;
  readonly command: (directory: string) => readonly string[];
  /** The command that tests a configuration, whose path is appended; it exits with 0 if it is valid. */
  readonly test: readonly string[];
  readonly reloadSignal: "HUP" | "USR2";
}

const kinds: Readonly<Record<ProgramName, Kind>> = {
  keepalived: {
    file: "keepalived.conf",
    command: (directory) => [
      "keepalived",
      "--dont-fork",
      "--log-console",
      "--vrrp",
      "--use-file",
      join(directory, "keepalived.conf"),
      "--pid",
      join(directory, "keepalived.pid"),
      "--vrrp_pid",
      join(directory, "vrrp.pid"),
    ],
    test: ["keepalived", "--config-test", "--use-file"],
    reloadSignal: "HUP",
  },
  haproxy: {
    file: "haproxy.cfg",
    command: (directory) => ["haproxy", "-W", "-f", join(directory, "haproxy.cfg")],
    test: ["haproxy", "-c", "-q", "-f"],
    reloadSignal: "USR2",
  },
};

export function configurationPath(directory: string, program: ProgramName): string {
  return join(directory, kinds[program].file);
}

export function testCommand(program: ProgramName, path: string): readonly string[] {
  return [...kinds[program].test, path];
}

export function openPrograms(options: {
  readonly directory: string;
  readonly commands: Commands;
  readonly clock: Clock;
  readonly log: Log;
  readonly onCrash: (program: ProgramName) => Promise<void>;
}): Record<ProgramName, Program> {
  const open = (name: ProgramName) => {
    const { command, reloadSignal } = kinds[name];
    const onCrash = () => options.onCrash(name);
    return new Program({
      ...options,
      name,
      command: command(options.directory),
      reloadSignal,
      onCrash,
    });
  };
  return { keepalived: open("keepalived"), haproxy: open("haproxy") };
}
