// Types that the plans of addresses and of ports share.
import type { Service } from "../../../api/types/core.ts";
import type { Random } from "../../../base/host/random.ts";
import type { Family } from "../../../base/net/family.ts";
import type { Prefix } from "../../../base/net/prefix.ts";
import type { Store } from "../../store/store.ts";
import type { TakenAddresses } from "./addresses.ts";
import type { PortRange } from "./node-ports.ts";

export interface ServiceChange {
  readonly old?: Service;
  readonly new?: Service;
}

export interface ServiceAllocatorOptions {
  readonly store: Store;
  readonly addresses: TakenAddresses;
  readonly ranges: (family: Family) => readonly Prefix[];
  readonly nodePorts: PortRange;
  readonly random: Random;
  readonly now: () => Date;
}

/** The inputs of one attempt at a plan. */
export interface Attempt {
  readonly number: number;
  readonly options: ServiceAllocatorOptions;
}

export const serviceKind = { group: "", name: "Service" };
