// The proxies that are compared.

import { access } from "node:fs/promises";
import { join } from "node:path";
import { Unavailable } from "../harness.ts";
import { nodeAddress, nodeName } from "./objects.ts";

export interface Subject {
  /** Its command line, but for the kubeconfig. */
  readonly command: readonly string[];
  /** The sum of the times of its first syncs, in the text of its metrics. */
  readonly syncSeconds: RegExp;
}

const root = join(import.meta.dirname, "../..");
export const kubeProxy = join(root, ".cache/peers/kube-proxy");

export async function checkPeer(): Promise<void> {
  try {
    await access(kubeProxy);
  } catch (cause) {
    const message = "kube-proxy has not been built: run bench/peers/build kube-proxy";
    throw new Unavailable(message, { cause });
  }
}

function ours(mode: string, ...more: readonly string[]): Subject {
  return {
    command: [
      join(root, "bin/tandem"),
      "proxy",
      "run",
      `--mode=${mode}`,
      `--node=${nodeName}`,
      `--bind-address=${nodeAddress}`,
      "--cluster-cidr=10.128.0.0/9",
      ...more,
    ],
    syncSeconds: /tandem_proxy_sync_seconds_sum\{family="IPv4",kind="replacement"\} (\S+)/,
  };
}

function theirs(mode: string): Subject {
  return {
    command: [
      kubeProxy,
      `--proxy-mode=${mode}`,
      `--hostname-override=${nodeName}`,
      "--cluster-cidr=10.128.0.0/9",
      // As soon as it can, rather than once a second.
      "--iptables-min-sync-period=0s",
      "--metrics-bind-address=127.0.0.1:10249",
      // The kernel's own settings are left alone.
      "--conntrack-max-per-core=0",
      "--conntrack-min=0",
      "--conntrack-tcp-timeout-established=0s",
      "--conntrack-tcp-timeout-close-wait=0s",
    ],
    syncSeconds:
      /kubeproxy_sync_full_proxy_rules_duration_seconds_sum(?:\{ip_family="IPv4"\})? (\S+)/,
  };
}

export const subjects: Readonly<Record<string, Subject>> = {
  "tandem nftables": ours("nftables"),
  "tandem iptables-legacy": ours("iptables", "--iptables-variant=legacy"),
  "kube-proxy nftables": theirs("nftables"),
  "kube-proxy iptables-legacy": theirs("iptables"),
};
