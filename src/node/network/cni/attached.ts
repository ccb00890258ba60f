import type { Address } from "../../../base/net/address.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { AttachmentKey } from "./attachment.ts";
import type { CniResult } from "./result.ts";

/** An interface that was made. */
export interface Attached extends AttachmentKey {
  readonly namespace: string;
  /** The label of the attachment, or the network's name. */
  readonly network: string;
  readonly isDefault: boolean;
  readonly serviceController?: string;
  readonly result: CniResult;
}

/** An address of a container, and all that is known of it. */
export interface AttachedAddress {
  readonly address: Address;
  readonly prefix: Prefix;
  readonly interface: string;
  readonly network: string;
  readonly isDefault: boolean;
  readonly gateway?: Address;
  readonly serviceController?: string;
}

/** In the plugin's order; without link-local addresses and those of the host's side. */
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
      ...(serviceController !== undefined && { serviceController }),
    }));
}
