// Stale UDP flows. conntrack keeps translating a flow to its first backend for as long as there are
// packets: changed rules concern only new flows. So flows to backends that no longer serve them must be
// deleted.

import type { FlowSelector } from "../../../base/host/conntrack.ts";
import { Address } from "../../../base/net/address.ts";
import { type FamilySettings, type Frontend, frontendKey } from "../plan/frontend.ts";
import type { Flow } from "./flow.ts";

export interface StaleFlowInputs {
  readonly settings: FamilySettings;
  /** Finds the current frontend by `frontendKey`. */
  readonly find: (key: string) => Frontend | undefined;
  /** Whether flows to the frontend with this key are to be looked at. */
  readonly concerns: (key: string) => boolean;
}

export function staleFlows(
  flows: readonly Flow[],
  { settings, find, concerns }: StaleFlowInputs,
): readonly FlowSelector[] {
  const stale = new Map<string, FlowSelector>();
  for (const { destination, answerer } of flows) {
    const place = { ...destination, protocol: "udp" } as const;
    const address = Address.parse(destination.address);
    const keys = [
      frontendKey(place),
      ...(isNodePort(address, settings) ? [frontendKey({ ...place, address: undefined })] : []),
    ];
    const key = keys.find((one) => find(one) !== undefined) ?? keys.find(concerns);
    if (key === undefined || !concerns(key)) continue;
    if (isServed(find(key), { destination, answerer })) continue;
    const { port } = destination;
    const replySource = Address.parse(answerer.address);
    const selector = { family: settings.family, protocol: "udp", port, replySource } as const;
    stale.set(`${key} ${answerer.address}`, { ...selector, destination: address });
  }
  return [...stale.values()];
}

function isNodePort(
  address: Address,
  { nodePortPrefixes, servesLoopback }: FamilySettings,
): boolean {
  if (address.isLoopback && !servesLoopback) return false;
  return nodePortPrefixes.some((prefix) => prefix.contains(address));
}

/**
 * Whether the answerer of a flow still serves it. Without a frontend, a flow that was never translated is
 * left alone.
 */
function isServed(frontend: Frontend | undefined, { destination, answerer }: Flow): boolean {
  if (frontend === undefined) return answerer.address === destination.address;
  const { pool, outsiders = [], keepers } = frontend;
  return [pool, outsiders, keepers].some((endpoints) =>
    endpoints.some(({ address, port }) => address === answerer.address && port === answerer.port),
  );
}
