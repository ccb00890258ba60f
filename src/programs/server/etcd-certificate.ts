// The certificate of the member of etcd that runs beside the server: renewed here, since etcd does not. etcd and
// the server's own client read it anew for each connection.

import { join } from "node:path";
import { systemClock } from "../../base/host/clock.system.ts";
import { systemFiles } from "../../base/host/files.system.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";
import type { Log } from "../../base/program/log.ts";
import {
  aborted,
  openAuthority,
  renewServerCertificate,
  serverCertificate,
} from "../../control/apiserver/apiserver.ts";
import { memberNames } from "../../install/machine/machine.ts";

interface Settings {
  readonly etcdPki?: string | undefined;
  readonly listen: readonly ListenAddress[];
  readonly log: Log;
}

export async function renewEtcdCertificate(
  { etcdPki: directory, listen, log }: Settings,
  signal: AbortSignal,
): Promise<void> {
  if (directory === undefined) return await aborted(signal);
  const read = async (name: string) => {
    const text = await systemFiles.read(join(directory, name));
    if (text === undefined)
      throw new Error(`Cannot use ${join(directory, name)}: there is no file`);
    return text;
  };
  const pair = { certificate: await read("ca.crt"), key: await read("ca.key") };
  const now = () => new Date(systemClock.now());
  const authority = await openAuthority(pair, { now });
  const certificate = { files: systemFiles, directory, authority };
  const names = memberNames(listen.flatMap((place) => ("host" in place ? [place.host] : [])));
  const current = await serverCertificate({ ...certificate, names, now });
  await renewServerCertificate(
    {
      certificate,
      names: () => names,
      subscribe: () => () => undefined,
      clock: systemClock,
      log,
      current,
      renewed: () => undefined,
    },
    signal,
  );
}
