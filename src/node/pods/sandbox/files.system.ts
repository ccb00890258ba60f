// The files in every container of a pod: /etc/hosts, /etc/resolv.conf and /etc/hostname.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Pod } from "../../../api/types/core.ts";
import { readIfExists } from "../../../base/host/files.system.ts";
import { defined } from "../../../base/json/defined.ts";
import type { DnsSettings } from "../options.ts";
import { kernelHostname, podNameOf } from "./hostname.ts";
import { hostsFile } from "./hosts-file.ts";
import { parseResolvConf, resolutionOf, resolvConf } from "./resolv-conf.ts";

export interface PodFile {
  readonly source: string;
  readonly destination: string;
}

interface PodFilesOptions {
  readonly directory: string;
  readonly addresses: readonly string[];
  readonly dns: DnsSettings;
}

export async function writePodFiles(pod: Pod, options: PodFilesOptions): Promise<PodFile[]> {
  const { directory } = options;
  const contents = {
    hosts: await hostsOf(pod, options),
    "resolv.conf": await resolutionText(pod, options.dns),
    hostname: `${kernelHostname(pod, options.dns.domain)}\n`,
  };
  await mkdir(directory, { recursive: true });
  const files = Object.entries(contents);
  for (const [name, text] of files) await writeFile(join(directory, name), text, { mode: 0o644 });
  return files.map(([name]) => ({ source: join(directory, name), destination: `/etc/${name}` }));
}

async function hostsOf(pod: Pod, { addresses, dns }: PodFilesOptions): Promise<string> {
  const { hostNetwork = false, hostAliases: aliases = [] } = pod.spec;
  const name = podNameOf(pod, dns.domain);
  const base = hostNetwork ? await readIfExists("/etc/hosts") : undefined;
  return hostsFile({ name, addresses, aliases, ...defined({ base }) });
}

async function resolutionText({ metadata, spec }: Pod, dns: DnsSettings): Promise<string> {
  const { servers, domain, nodeFile = "/etc/resolv.conf" } = dns;
  const node = parseResolvConf((await readIfExists(nodeFile)) ?? "");
  const cluster = { servers: servers.map(String), domain };
  return resolvConf(resolutionOf({ spec, namespace: metadata.namespace, cluster, node }));
}
