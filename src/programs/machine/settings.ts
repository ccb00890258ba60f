// The cluster that a first server makes: what the user says, else what this machine was told before, else what
// clusters of `tandem up` have.

import { systemFiles } from "../../base/host/files.system.ts";
import type { Address } from "../../base/net/address.ts";
import type { Prefix } from "../../base/net/prefix.ts";
import {
  type ClusterNetwork,
  clusterData,
  machinePlaces,
  readClusterData,
} from "../../install/machine/machine.ts";
import { rangesLike } from "../up/settings.ts";

export interface GivenNetwork {
  readonly podCidr?: readonly Prefix[] | undefined;
  readonly serviceCidr?: readonly Prefix[] | undefined;
  readonly network?: ClusterNetwork["network"] | undefined;
  readonly ipam?: ClusterNetwork["ipam"] | undefined;
  readonly route?: ClusterNetwork["route"] | undefined;
  readonly store?: ClusterNetwork["store"] | undefined;
  readonly proxyMode?: ClusterNetwork["proxyMode"] | undefined;
  readonly apiVips?: readonly Address[] | undefined;
  readonly ingressVips?: readonly Address[] | undefined;
}

const place = `${machinePlaces.configuration}/cluster.json`;

export async function resolveNetwork(given: GivenNetwork): Promise<ClusterNetwork> {
  const stored = await storedNetwork();
  const { podCidr, serviceCidr } = rangesLike(given);
  return {
    podCidr: given.podCidr ?? stored?.podCidr ?? podCidr,
    serviceCidr: given.serviceCidr ?? stored?.serviceCidr ?? serviceCidr,
    network: given.network ?? stored?.network ?? "bridge",
    ipam: given.ipam ?? stored?.ipam ?? "host-local",
    route: given.route ?? stored?.route ?? "auto",
    store: given.store ?? stored?.store ?? "embedded",
    proxyMode: given.proxyMode ?? stored?.proxyMode ?? "nftables",
    apiVips: given.apiVips ?? stored?.apiVips ?? [],
    ingressVips: given.ingressVips ?? stored?.ingressVips ?? [],
  };
}

export async function storeNetwork(network: ClusterNetwork): Promise<void> {
  const data = clusterData(network);
  await systemFiles.write(place, Object.values(data).join(""), { mode: 0o600 });
}

async function storedNetwork(): Promise<ClusterNetwork | undefined> {
  const text = await systemFiles.read(place);
  return text === undefined ? undefined : readClusterData({ "network.json": text });
}
