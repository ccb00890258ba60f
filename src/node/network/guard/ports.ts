// The ports of pods on this node, and what may come in by each.
import { Address } from "../../../base/net/address.ts";
import type { Attached } from "../cni/attached.ts";
import { bridgeName } from "../links/bridge.ts";
import { defaultNetworkName } from "../links/conflist.ts";

export interface GuardedPort {
  /** The interface on the node's side. */
  readonly link: string;
  /** Whether the port belongs to the bridge of the pods; else the node routes for it alone. */
  readonly isBridged: boolean;
  readonly mac: string;
  /** The addresses of the pod, the link-local one included. */
  readonly addresses: readonly Address[];
}

/** Returns the ports of the default network and of the bridge; networks of others are theirs to guard. */
export function guardedPorts(all: readonly Attached[]): readonly GuardedPort[] {
  return all.flatMap((attached) => {
    const { interfaces, ips } = attached.result;
    const ofNode = interfaces.filter(({ sandbox }) => sandbox === undefined);
    const isBridged = ofNode.some(({ name }) => name === bridgeName);
    const [port, ...others] = ofNode.filter(({ name }) => name !== bridgeName);
    const mac = interfaces.find(({ name, sandbox }) => {
      return sandbox !== undefined && name === attached.interface;
    })?.mac;
    const isOurs = isBridged || attached.network === defaultNetworkName;
    if (!isOurs || port === undefined || others.length > 0 || mac === undefined) return [];
    const given = ips
      .filter(({ interface: link }) => link === undefined || link.sandbox !== undefined)
      .map(({ address }) => address);
    return [{ link: port.name, isBridged, mac, addresses: [...given, linkLocalOf(mac)] }];
  });
}

/** Returns the address that the kernel of the pod makes of the MAC address (RFC 4291, appendix A). */
export function linkLocalOf(mac: string): Address {
  const bytes = mac.split(":").map((byte) => Number.parseInt(byte, 16));
  const identifier = [(bytes[0] ?? 0) ^ 2, ...bytes.slice(1, 3), 0xff, 0xfe, ...bytes.slice(3)];
  const value = identifier.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return Address.of("IPv6", (0xfe80n << 112n) | value);
}
