import type { Family } from "../../../base/net/family.ts";

/** A frontend as it is in the kernel. */
export interface KernelPlace {
  readonly family: Family;
  /** The service and its port, as far as the kernel stores it: `shop/web:http`. */
  readonly owner: string;
  /** The address; a node port has none. */
  readonly address: string | undefined;
  readonly protocol: string;
  readonly port: number;
  readonly leads: readonly Lead[];
  readonly affinitySeconds: number | undefined;
  /** The sources that are let in; not given: every one. */
  readonly allowedSources: readonly string[] | undefined;
}

/** The endpoints that a group of clients gets. */
export interface Lead {
  /** The group of clients. "inside" are pods and this node, where they differ from outside clients. */
  readonly clients: "all" | "inside" | "outside";
  /** The endpoints, such as `10.1.0.5:8080`; none when the clients are refused or dropped. */
  readonly endpoints: readonly string[];
  readonly verdict: "translate" | "refuse" | "drop";
}

/** Reads the frontends of one service (`namespace/name`) from the kernel. */
export type ReadPlaces = (service: string) => Promise<readonly KernelPlace[]>;

/** Whether a frontend belongs to a service. The owner may have been cut off after `longest` characters. */
export function isOwnedBy(owner: string, service: string, longest: number): boolean {
  return owner.startsWith(`${service}:`.slice(0, longest));
}
