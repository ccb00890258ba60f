// The credentials of the plugin in a cluster of ours: a token of a service account that may reserve addresses
// and nothing else, bound to this node. The kubeconfig with it is written anew long before it expires, and
// when the node is registered anew, which ends the tokens of the node before.

import { dirname } from "node:path";
import { Controller } from "../../api/client/controller.ts";
import type { Informer } from "../../api/client/informer.ts";
import type { Node } from "../../api/types/core.ts";
import type { Clock } from "../../base/host/clock.ts";
import type { Files } from "../../base/host/files.ts";
import type { Random } from "../../base/host/random.ts";
import type { Log } from "../../base/program/log.ts";
import { kubeconfigText } from "./kubeconfig-text.ts";

export interface IpamCredentialsOptions {
  /** The path of the kubeconfig; its directory is made, for its owner only. */
  readonly path: string;
  /** The service account; reservations are in its namespace. */
  readonly account: { readonly namespace: string; readonly name: string };
  /** Requests a token of the account that ends with the Node object of this uid. */
  request(nodeUid: string, signal: AbortSignal): Promise<Token>;
  readonly nodes: Informer<Node>;
  /** The name of this node. */
  readonly node: string;
  readonly server: URL;
  /** The path of the certificate by which the server is known. */
  readonly authority: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface Token {
  readonly token: string;
  readonly expires: Date;
}

/** The share of a token's lifetime after which the next one is asked for. */
const usedShare = 2 / 3;
/** A server that restarts is asked again soon; one that refuses is not asked all the time. */
const backOff = { initialMs: 100, maximumMs: 60_000 };

interface Held {
  readonly nodeUid: string;
  readonly renewAt: number;
}

export function keepIpamCredentials(options: IpamCredentialsOptions): Controller {
  const { nodes, node, clock, files, path } = options;
  let held: Held | undefined;
  const reconcile = async (key: string, signal: AbortSignal) => {
    const uid = nodes.get(key)?.metadata.uid;
    if (key !== node || uid === undefined) return undefined;
    if (held?.nodeUid !== uid || held.renewAt <= clock.now()) {
      const { token, expires } = await options.request(uid, signal);
      await files.makePrivateDirectory(dirname(path));
      const { server, authority: file, account } = options;
      const text = kubeconfigText({ server, authority: { file }, account, token });
      await files.write(path, text, { mode: 0o600 });
      const renewAt = clock.now() + usedShare * (expires.getTime() - clock.now());
      held = { nodeUid: uid, renewAt };
    }
    return { againInMs: Math.max(0, held.renewAt - clock.now()) };
  };
  return new Controller({
    ...options,
    name: "ipam-credentials",
    sources: [nodes],
    reconcile,
    backOff,
  });
}
