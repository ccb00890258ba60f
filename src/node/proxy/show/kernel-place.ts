import type { Family } from "../../../base/net/family.ts";

/** A place that a service is reached at, as the kernel has it. */
export interface KernelPlace {
  readonly family: Family;
  /** The service and its port, as far as the kernel keeps it: `shop/web:http`. */
  readonly owner: string;
  /** Of a node port: none. */
  readonly address: string | undefined;
  readonly protocol: string;
  readonly port: number;
  readonly leads: readonly Lead[];
  readonly affinitySeconds: number | undefined;
  /** Who may come; not given: everyone. */
  readonly allowedSources: readonly string[] | undefined;
}

/** Where some clients are led to. */
export interface Lead {
  /** Inside are pods and this node, where others are led elsewhere. */
  readonly clients: "all" | "inside" | "outside";
  /** `10.1.0.5:8080`; none when they are refused or dropped. */
  readonly endpoints: readonly string[];
  readonly verdict: "translate" | "refuse" | "drop";
}

/** Reads what is in the kernel of one service (`namespace/name`). */
export type ReadPlaces = (service: string) => Promise<readonly KernelPlace[]>;

/** Owners may have been cut off after `longest` characters. */
export function isOwnedBy(owner: string, service: string, longest: number): boolean {
  return owner.startsWith(`${service}:`.slice(0, longest));
}
