// The record of a pod's sandbox on disk, by which the next agent finds it.

import { isObject } from "../../../base/json/value.ts";
import { Address } from "../../../base/net/address.ts";
import type { UserRange } from "../../runtime/runtime.ts";
import type { PodAddress } from "../port.ts";

export interface SandboxRecord {
  /** The id by which CNI plugins know the sandbox; each attempt has a new one. */
  readonly id: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** False while the sandbox is being made: what a killed agent leaves is undone. */
  readonly isReady: boolean;
  /** The paths of the namespaces; those shared with the node are absent. */
  readonly namespaces: SandboxNamespaces;
  readonly addresses: readonly PodAddress[];
  /** The user ids of the pod's user namespace, if it has one. */
  readonly users?: UserRange;
}

export interface SandboxNamespaces {
  readonly network?: string;
  readonly uts?: string;
  readonly ipc?: string;
  readonly user?: string;
}

export function writeRecord(record: SandboxRecord): string {
  return JSON.stringify(record);
}

/** Parses a record; returns undefined when the text is none, such as a truncated one. */
export function readRecord(text: string): SandboxRecord | undefined {
  const parsed = parsedJson(text);
  if (!isStored(parsed)) return undefined;
  const { addresses, ...record } = parsed;
  return {
    ...record,
    addresses: addresses.map(({ address, gateway, ...rest }) => ({
      ...rest,
      address: Address.parse(address),
      ...(gateway === undefined ? {} : { gateway: Address.parse(gateway) }),
    })),
  };
}

interface StoredRecord extends Omit<SandboxRecord, "addresses"> {
  readonly addresses: readonly (Omit<PodAddress, "address" | "gateway"> & {
    readonly address: string;
    readonly gateway?: string;
  })[];
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isStored(value: unknown): value is StoredRecord {
  return isObject(value) && typeof value["id"] === "string" && Array.isArray(value["addresses"]);
}
