import { defined } from "../../../base/json/defined.ts";
import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { AttachmentKey } from "./attachment.ts";
import type { CniResult } from "./result.ts";

/** An interface that has been attached. */
export interface Attached extends AttachmentKey {
  readonly namespace: string;
  /** The label of the attachment, or the network's name. */
  readonly network: string;
  readonly isDefault: boolean;
  readonly serviceController?: string;
  readonly result: CniResult;
}

/** An address of a container, with its interface and network. */
export interface AttachedAddress {
  readonly address: Address;
  readonly prefix: Prefix;
  readonly interface: string;
  readonly network: string;
  readonly isDefault: boolean;
  readonly gateway?: Address;
  readonly serviceController?: string;
}

/** Returns the addresses in the plugin's order, without link-local ones and those of the host's side. */
export function addressesOf(attached: Attached): readonly AttachedAddress[] {
  const { result, network, isDefault, serviceController } = attached;
  return result.ips
    .filter((ip) => ip.interface === undefined || ip.interface.sandbox !== undefined)
    .filter(({ address }) => !address.isLinkLocal)
    .map(({ interface: link, ...ip }) => ({
      ...ip,
      interface: link?.name ?? attached.interface,
      network,
      isDefault,
      ...defined({ serviceController }),
    }));
}
