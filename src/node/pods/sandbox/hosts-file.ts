import type { HostAlias } from "../../../api/types/core.ts";
import type { PodName } from "./hostname.ts";

interface HostsFile {
  readonly name: PodName;
  readonly addresses: readonly string[];
  readonly aliases: readonly HostAlias[];
  /** The content of the node's /etc/hosts, for pods with hostNetwork. */
  readonly base?: string;
}

/** The first lines, by which programs and tests know files that a node writes. */
const ownHeader = "# Kubernetes-managed hosts file.\n";
const nodesHeader = "# Kubernetes-managed hosts file (host network).\n";
const aliasHeader = "\n# Entries added by HostAliases.\n";

const ownBase = `127.0.0.1\tlocalhost
::1\tlocalhost ip6-localhost ip6-loopback
ff02::1\tip6-allnodes
ff02::2\tip6-allrouters
`;

export function hostsFile({ name, addresses, aliases, base }: HostsFile): string {
  const names = [...(name.fqdn === undefined ? [] : [name.fqdn]), name.hostname].join("\t");
  const own = base === undefined ? addresses.map((address) => `${address}\t${names}\n`) : [];
  const others = aliases
    .filter(({ hostnames = [] }) => hostnames.length > 0)
    .map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}\n`);
  const head = base === undefined ? [ownHeader, ownBase] : [nodesHeader, base];
  const tail = others.length === 0 ? [] : [aliasHeader, ...others];
  return [...head, ...own, ...tail].join("");
}
