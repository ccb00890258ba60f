// The kernel keeps a flow of datagrams going where it went before, for as long as there are any: rules
// that have changed since concern only what begins anew. So flows must be forgotten that lead to where
// nobody serves them any more.

import type { FlowSelector } from "../../../base/host/conntrack.ts";
import { Address } from "../../../base/net/address.ts";
import { type FamilySettings, type Frontend, frontendKey } from "../plan/frontend.ts";
import type { Flow } from "./flow.ts";

export interface StaleFlowInputs {
  readonly settings: FamilySettings;
  /** By `frontendKey`; what is there now. */
  readonly find: (key: string) => Frontend | undefined;
  /** Whether to look at flows to this place at all. */
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

/** Where there is no service any more, what was never translated is none of our business. */
function isServed(frontend: Frontend | undefined, { destination, answerer }: Flow): boolean {
  if (frontend === undefined) return answerer.address === destination.address;
  const { pool, outsiders = [], keepers } = frontend;
  return [pool, outsiders, keepers].some((endpoints) =>
    endpoints.some(({ address, port }) => address === answerer.address && port === answerer.port),
  );
}
