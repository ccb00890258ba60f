// The credentials of the plugin beside a stock Kubernetes: the service account of the pod that serves the node, in a
// kubeconfig on the machine, where whereabouts keeps one, too. The pod's token is replaced every hour or so.

import { dirname, join } from "node:path";
import type { Access } from "../../../api/client/access.ts";
import { type Clock, pause } from "../../../base/host/clock.ts";
import type { Files } from "../../../base/host/files.ts";
import type { Log } from "../../../base/program/log.ts";
import type { Part } from "../../../base/program/run-all.ts";
import { kubeconfigText } from "../kubeconfig-text.ts";

export interface OwnAccountOptions {
  /** The path of the kubeconfig, the same in the pod and on the machine. Its directory is the plugin's own. */
  readonly path: string;
  /** The access of the pod's service account. */
  readonly access: Access;
  readonly files: Files;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often the token is looked at; a new one comes long before the old one ends. */
const lookEveryMs = 30_000;

/** Writes the kubeconfig, and the flat file that leads to it where there is none. The part keeps the token fresh. */
export async function openOwnAccount(options: OwnAccountOptions): Promise<Part> {
  const { path, files, clock, log } = options;
  const directory = dirname(path);
  await files.makePrivateDirectory(directory);
  await writeIfOther(options);
  const flat = join(directory, "whereabouts.conf");
  if ((await files.read(flat)) === undefined) {
    const fields = { datastore: "kubernetes", kubernetes: { kubeconfig: path } };
    await files.write(flat, `${JSON.stringify(fields, null, 2)}\n`);
  }
  return {
    name: "plugin's account",
    async run(signal) {
      for (;;) {
        await pause(clock, lookEveryMs, signal);
        if (signal.aborted) return;
        try {
          await writeIfOther(options);
        } catch (error) {
          log.warn("Cannot renew the plugin's kubeconfig", { error });
        }
      }
    },
  };
}

async function writeIfOther({ path, access, files }: OwnAccountOptions): Promise<void> {
  const { authorization } = await access.credentials.current();
  if (authorization === undefined) {
    throw new Error(`Cannot write ${path}: this program reaches the API without a token`);
  }
  const text = kubeconfigText({
    server: access.server,
    authority: { certificates: access.authorities ?? "" },
    account: { namespace: access.namespace, name: "tandem-ipam" },
    token: authorization.replace(/^Bearer /, ""),
  });
  // whereabouts' own pod may have put its token there.
  if ((await files.read(path)) !== text) await files.write(path, text, { mode: 0o600 });
}
