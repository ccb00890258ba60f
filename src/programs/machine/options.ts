// What the commands of every role are told, and where they print.

import type { Address } from "../../base/net/address.ts";
import { UsageError } from "../../base/program/errors.ts";
import type { Log } from "../../base/program/log.ts";
import type { createProgress } from "../../base/program/progress.ts";
import type { PlanFormat } from "./show-plan.ts";

export interface JoinOptions {
  readonly join?: string | undefined;
  readonly token?: string | undefined;
  readonly caHash?: string | undefined;
}

export interface NodeOptions {
  readonly nodeName?: string | undefined;
  readonly nodeIp: readonly Address[];
  readonly registerWithTaints: readonly string[];
  readonly wait: number;
  readonly dryRun: boolean;
  readonly output: PlanFormat;
}

export interface InstallStreams {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: Parameters<typeof createProgress>[0];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
}

export function invitationOf({ join, token, caHash }: JoinOptions) {
  const server = URL.parse(join?.includes("://") === false ? `https://${join}` : (join ?? ""));
  const hint = "'tandem token create --print-join-command' on a server prints the whole command.";
  if (server?.protocol !== "https:") {
    throw new UsageError(`Cannot use --join "${join ?? ""}": it is no https:// address`, { hint });
  }
  if (token === undefined) throw new UsageError("Cannot join: --token is not given", { hint });
  if (caHash === undefined) throw new UsageError("Cannot join: --ca-hash is not given", { hint });
  return { server, token, caHash };
}
