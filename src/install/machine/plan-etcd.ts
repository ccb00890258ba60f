// The member of etcd that a server has where install runs etcd.

import type { Address } from "../../base/net/address.ts";
import { hostPort } from "../../base/net/host-port.ts";
import { type ConfigValues, readConfigValues } from "./merge-config.ts";
import { machinePlaces } from "./places.ts";

export const etcdPorts = { client: 2379, peer: 2380 } as const;

/** The files of a member: its root, and the certificate that it shows to clients and to other members. */
export const etcdFiles = {
  root: `${machinePlaces.etcdPki}/ca.crt`,
  rootKey: `${machinePlaces.etcdPki}/ca.key`,
  certificate: `${machinePlaces.etcdPki}/server.crt`,
  key: `${machinePlaces.etcdPki}/server.key`,
} as const;

export interface EtcdPeer {
  readonly name: string;
  readonly peerUrls: readonly string[];
}

export interface EtcdMembership {
  /** The members that there are besides this machine's; none for the first one. */
  readonly others: readonly EtcdPeer[];
}

/** The URL at which other members reach the one of a machine: by its first address. */
export function peerUrl([address]: readonly Address[]): string {
  if (address === undefined) throw new Error("Cannot run etcd: this machine has no address");
  return `https://${hostPort(address, etcdPorts.peer)}`;
}

/** The names in the certificate of a member, which other members and servers verify. */
export function memberNames(addresses: readonly string[]) {
  return { dnsNames: ["localhost"], addresses };
}

/** What `tandem server --store` takes: the member of the same machine, since another may be lost with its machine. */
export function ownStore([address]: readonly Address[]): string {
  if (address === undefined) throw new Error("Cannot run etcd: this machine has no address");
  const { root, certificate, key } = etcdFiles;
  return `etcd://${hostPort(address, etcdPorts.client)}?ca=${root}&cert=${certificate}&key=${key}`;
}

/** The configuration of a member, in etcd's own words. A member that has begun keeps how it began. */
export function etcdValues(
  name: string,
  addresses: readonly Address[],
  { others, present }: EtcdMembership & { readonly present: string | undefined },
): ConfigValues {
  const clients = addresses.map((each) => `https://${hostPort(each, etcdPorts.client)}`).join(",");
  const peer = peerUrl(addresses);
  const security = {
    "cert-file": etcdFiles.certificate,
    "key-file": etcdFiles.key,
    "trusted-ca-file": etcdFiles.root,
    "client-cert-auth": true,
  };
  const peers = [...others, { name, peerUrls: [peer] }];
  const members = peers.flatMap((each) => each.peerUrls.map((url) => `${each.name}=${url}`));
  const hasBegun = "initial-cluster" in readConfigValues(present) && others.length === 0;
  return {
    name,
    "data-dir": machinePlaces.etcd,
    "listen-client-urls": clients,
    "advertise-client-urls": clients,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    ...(!hasBegun && {
      "initial-cluster": members.join(","),
      "initial-cluster-state": others.length === 0 ? "new" : "existing",
    }),
    "client-transport-security": security,
    "peer-transport-security": security,
    logger: "zap",
  };
}
