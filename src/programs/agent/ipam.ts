// The agent's part in tandem-ipam: it allocates the pods' addresses, and the CNI plugin only asks it; and it
// keeps the credentials by which either reaches the API.
import { join } from "node:path";
import type { Informer } from "../../api/client/informer.ts";
import { requestToken } from "../../api/client/subresources.ts";
import type { Node } from "../../api/types/core.ts";
import { systemClock } from "../../base/host/clock.system.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Files } from "../../base/host/files.ts";
import { systemRandom } from "../../base/host/random.system.ts";
import type { Random } from "../../base/host/random.ts";
import type { Registry } from "../../base/program/metrics.ts";
import type { Part } from "../../base/program/run-all.ts";
import { ipamAccount } from "../../control/apiserver/apiserver.ts";
import {
  IpamDaemon,
  keepIpamCredentials,
  meetAtSocket,
  usualSocket,
} from "../../node/ipam/ipam.ts";
import type { Membership } from "./join.ts";
import type { AgentSettings } from "./settings.ts";

export function ipamDaemonOf({ ipam, log }: AgentSettings, metrics: Registry): readonly Part[] {
  if (ipam !== "tandem") return [];
  const socket = usualSocket(process.env);
  const meeting = meetAtSocket(socket, systemRandom);
  if (meeting !== undefined) return [new IpamDaemon({ meeting, clock: systemClock, log, metrics })];
  log.warn("cannot serve tandem-ipam, which does its work itself", { socket });
  return [];
}

const tokenSeconds = 3_600;

interface CredentialsParts {
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly nodes: Informer<Node>;
  readonly node: string;
  readonly membership: Membership;
}

export function ipamCredentialsOf(
  { runDir, log }: AgentSettings,
  { membership, ...parts }: CredentialsParts,
): { readonly path: string; readonly part: Part } {
  const { client, server, authority } = membership;
  const path = join(runDir, "ipam/kubeconfig");
  const request = (uid: string, signal: AbortSignal) => {
    const boundObjectRef = { apiVersion: "v1", kind: "Node", name: parts.node, uid };
    const spec = { audiences: [], expirationSeconds: tokenSeconds, boundObjectRef };
    return requestToken(client.resource("v1", "ServiceAccount"), ipamAccount, { spec, signal });
  };
  const account = ipamAccount;
  const part = keepIpamCredentials({ ...parts, path, account, request, server, authority, log });
  return { path, part };
}
