// Makes this machine a member of its cluster before its agent starts: what can go wrong is told at once, and no
// token is written down.

import { systemFiles } from "../../base/host/files.system.ts";
import type { Address } from "../../base/net/address.ts";
import type { Log } from "../../base/program/log.ts";
import { machinePlaces } from "../../install/machine/machine.ts";
import { becomeNode, ownPlaces } from "../agent/agent.ts";
import type { JoinOptions } from "./options.ts";

export interface MemberOptions extends Omit<JoinOptions, "join"> {
  readonly node: string;
  readonly nodeIp: readonly Address[];
  readonly server?: string | undefined;
  readonly kubeconfig?: string | undefined;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function becomeMember(options: MemberOptions, signal: AbortSignal): Promise<void> {
  const { node, nodeIp, server, token, caHash, kubeconfig, log, env } = options;
  const dataDir = machinePlaces.agent;
  await systemFiles.makePrivateDirectory(dataDir);
  const joining = { server, token, caHash, kubeconfig, dataDir, log, env };
  const places = await ownPlaces({ ...joining, nodeIp });
  const addresses = places.map(({ address }) => address);
  const { client } = await becomeNode(joining, { name: node, addresses }, signal);
  client.transport.close();
}
