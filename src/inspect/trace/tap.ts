// Records in one namespace what becomes of the probe.

import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../base/host/clock.ts";
import type { CallOptions, Commands, RunningCommand } from "../../base/host/command.ts";
import { HostError, isNotFound } from "../../base/host/error.ts";
import type { Files } from "../../base/host/files.ts";
import { systemNft } from "../../base/host/nft.system.ts";
import { systemCode } from "../../base/program/errors.ts";
import { isStale, type ProbeMark, tableCommands } from "./marks.ts";
import { readTraceLine, type TraceLine } from "./trace-line.ts";

export interface Tap {
  /** The trace lines so far. */
  readonly lines: readonly TraceLine[];
  /** The tables of legacy iptables, whose rules leave no trace; `undefined` if the user is not root. */
  readonly legacyTables: readonly string[] | undefined;
  /**
   * Removes the table, and those that killed traces have left. The kernel reports the removal on the same
   * channel as packets, so that all trace lines have been read once it is seen.
   */
  finish(): Promise<void>;
  close(): Promise<void>;
}

interface TapOptions extends CallOptions {
  /** Runs commands in the namespace. */
  readonly commands: Commands;
  readonly files: Files;
  readonly clock: Clock;
}

/** Opens a tap; from then on no packet is missed. */
export async function openTap(mark: ProbeMark, options: TapOptions): Promise<Tap> {
  const { commands, files, clock, signal } = options;
  const lines: TraceLine[] = [];
  const tables = new Set([mark.table]);
  const errors: string[] = [];
  const finished = Promise.withResolvers<void>();
  const monitor = await commands.start(["nft", "--interactive"], {
    // One nft process does everything, since a tap is needed in many namespaces.
    stdin: ["list tables", ...tableCommands(mark), "monitor", ""].join("\n"),
    signal,
    diesWithParent: true,
    onLine: (line, stream) => {
      if (stream === "stderr") errors.push(line);
      const [, table = ""] = /^table inet (\S+)$/.exec(line) ?? [];
      if (isStale(table, clock)) tables.add(table);
      if (line.trim() === `delete table inet ${mark.table}`) finished.resolve();
      const read = readTraceLine(line);
      if (read !== undefined) lines.push(read);
    },
  });
  void monitor.exited.then(() => finished.resolve());
  const removeTables = async (): Promise<void> => {
    const nft = systemNft(commands);
    try {
      for (const name of tables) await nft.deleteTable({ family: "inet", name });
      tables.clear();
    } catch (error) {
      // The namespace is gone, and its tables with it.
      if (!isNotFound(error)) throw error;
    }
  };
  const finish = async (): Promise<void> => {
    await removeTables();
    await Promise.race([finished.promise, setTimeout(patienceMs, undefined, { ref: false })]);
  };
  const close = async (): Promise<void> => {
    monitor.kill("SIGKILL");
    await monitor.exited;
    await removeTables();
  };
  try {
    await listening(monitor, { files, errors });
    return { lines, legacyTables: await legacyTables(monitor, files), finish, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The time limit for nft, which takes seconds to read a large ruleset. */
const patienceMs = 30_000;

/**
 * Waits until the monitor listens. It does not say so itself, but the kernel's list of netlink sockets shows
 * it.
 */
async function listening(
  { pid, exited }: RunningCommand,
  { files, errors }: { readonly files: Files; readonly errors: readonly string[] },
): Promise<void> {
  const ended = new AbortController();
  void exited.then(() => ended.abort());
  const deadline = AbortSignal.any([AbortSignal.timeout(patienceMs), ended.signal]);
  while (!hearsTraces((await files.read(`/proc/${pid}/net/netlink`)) ?? "", pid)) {
    if (deadline.aborted || errors.length > 0) {
      const state = errors.join(" ") || "nft monitor does not listen";
      throw new HostError(`Cannot trace packets: ${state}`, { reason: "failed" });
    }
    await setTimeout(5);
  }
}

const netfilter = "12";
const traceGroup = 0x100;

function hearsTraces(sockets: string, pid: number): boolean {
  return sockets.split("\n").some((line) => {
    const [, protocol, port, groups = ""] = line.trim().split(/\s+/);
    const hears = (Number.parseInt(groups, 16) & traceGroup) !== 0;
    return protocol === netfilter && port === String(pid) && hears;
  });
}

async function legacyTables(
  { pid }: RunningCommand,
  files: Files,
): Promise<readonly string[] | undefined> {
  try {
    const lists = await Promise.all(
      ["ip", "ip6"].map((ip) => files.read(`/proc/${pid}/net/${ip}_tables_names`)),
    );
    const names = lists.flatMap((text) => (text ?? "").split("\n"));
    return [...new Set(names.filter((name) => name !== ""))];
  } catch (error) {
    if (systemCode(error) === "EACCES") return undefined;
    throw error;
  }
}
