// Certificates for etcd: its members are on a network that pods reach too, so that clients need a
// certificate.

import { join } from "node:path";
import type { Files } from "../../base/host/files.ts";
import { createAuthority, openAuthority } from "../../control/apiserver/apiserver.ts";
import type { ClusterHost } from "./topology.ts";

/** The paths of certificates and keys for a member of etcd and for its clients. */
export interface EtcdFiles {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Writes certificates for the members of etcd, new at every start; their authority is kept with the data. */
export async function etcdCertificates(
  directory: string,
  hosts: readonly ClusterHost[],
  files: Files,
): Promise<ReadonlyMap<string, EtcdFiles>> {
  const now = () => new Date();
  await files.makePrivateDirectory(directory);
  const paths = { certificate: join(directory, "ca.crt"), key: join(directory, "ca.key") };
  const [certificate, key] = [await files.read(paths.certificate), await files.read(paths.key)];
  const isKept = certificate !== undefined && key !== undefined;
  const pair = isKept ? { certificate, key } : await createAuthority("etcd", { now });
  if (!isKept) {
    await files.write(paths.key, pair.key, { mode: 0o600 });
    await files.write(paths.certificate, pair.certificate);
  }
  const authority = await openAuthority(pair, { now });
  const issue = async ({ name, addresses }: ClusterHost): Promise<[string, EtcdFiles]> => {
    const names = { dnsNames: [name], addresses: addresses.map(({ address }) => String(address)) };
    const issued = await authority.issueServer({ commonName: name }, names);
    const own: EtcdFiles = {
      authority: paths.certificate,
      certificate: join(directory, `${name}.crt`),
      key: join(directory, `${name}.key`),
    };
    await files.write(own.key, issued.key, { mode: 0o600 });
    await files.write(own.certificate, issued.certificate);
    return [name, own];
  };
  return new Map(await Promise.all(hosts.map(issue)));
}
