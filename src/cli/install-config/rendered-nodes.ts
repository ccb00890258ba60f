import { type Address, InvalidAddressError } from "../../base/net/address.ts";
import { firstOfEachFamily, parseAddressList } from "../../base/net/list.ts";
import { repeated, scalar } from "../../base/program/option-types.ts";
import type { VipNode } from "../../edge/vip/vip.ts";
import type { Host, InstallConfig } from "../../install/config/config.ts";

export interface GivenNode {
  readonly name: string;
  readonly addresses: readonly Address[];
}

/** Parses "master-0=192.168.111.20,fd00::20". */
export function givenNodes() {
  return repeated(
    scalar<GivenNode>({
      placeholder: "NAME=ADDRESS,...",
      parse(text) {
        const [, name, list] = /^([^=]+)=(.+)$/.exec(text) ?? [];
        if (name === undefined || list === undefined) throw new Error("expected NAME=ADDRESS,...");
        try {
          return { name, addresses: parseAddressList(list) };
        } catch (cause) {
          if (!(cause instanceof InvalidAddressError)) throw cause;
          throw new Error(`expected addresses: ${cause.state}`, { cause });
        }
      },
    }),
  );
}

/**
 * Returns the nodes of a planned cluster: the hosts of its install-config that have addresses, and those
 * given as options. Ingress runs on the workers, or on the control plane if there are none.
 */
export function nodesOf(
  config: InstallConfig,
  given: { readonly masters: readonly GivenNode[]; readonly workers: readonly GivenNode[] },
): VipNode[] {
  const hosts: readonly Pick<Host, "name" | "role" | "addresses">[] = [
    ...config.hosts.filter(({ addresses }) => addresses.length > 0),
    ...given.masters.map((node) => ({ ...node, role: "master" as const })),
    ...given.workers.map((node) => ({ ...node, role: "worker" as const })),
  ];
  const hasWorkers = hosts.some(({ role }) => role === "worker");
  return hosts.map(({ name, role, addresses }) => ({
    name,
    addresses: firstOfEachFamily(addresses).used,
    isControlPlane: role === "master",
    runsIngress: !hasWorkers || role === "worker",
    takesPart: [...config.vips.api, ...config.vips.ingress],
  }));
}
