// Resolves names to addresses and ports by the API.

import type { Client } from "../../api/client/client.ts";
import { isNotFound } from "../../api/client/errors.ts";
import type { Service, ServicePort } from "../../api/types/core.ts";
import { Address } from "../../base/net/address.ts";
import { type Protocol, protocols } from "../../node/proxy/proxy.ts";
import type { PartyKind, PartyName } from "./party.ts";

/** A party with its addresses. */
export interface Resolved {
  /** The description for people: `pod shop/web-0`. */
  readonly text: string;
  readonly addresses: readonly Address[];
  /** The ports, if the party is a service. */
  readonly ports: readonly ServicePort[];
}

export interface Resolver {
  readonly client: Client;
  /** The namespace of names that are given without one. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

export async function resolveObject(
  party: Extract<PartyName, { kind: "object" }>,
  resolver: Resolver,
): Promise<Resolved> {
  const namespace = party.namespace ?? resolver.namespace;
  const found = await Promise.all(
    party.kinds.map((kind) =>
      finders[kind]({ namespace, name: party.name }, resolver).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      }),
    ),
  );
  const [first, ...others] = found.filter((one) => one !== undefined);
  if (first === undefined) {
    const kinds = party.kinds.join(" or ");
    const where = kinds === "node" ? "" : ` in the namespace ${namespace}`;
    throw new Error(`Cannot find ${party.name}: there is no such ${kinds}${where}`);
  }
  if (others.length > 0) {
    const all = [first, ...others].map(({ text }) => text).join(" and ");
    throw new Error(`Cannot tell what "${party.name}" is: there are ${all}; put the kind in front`);
  }
  return first;
}

/** Returns the port of that number or name; without either, the only one. */
export function portOf(
  { text, ports }: Resolved,
  said: string | undefined,
  protocol: Protocol | undefined,
): { readonly port: number; readonly protocol: Protocol } {
  const number = said !== undefined && /^\d+$/.test(said) ? Number(said) : undefined;
  if (number !== undefined && number < 65_536) {
    const declared = ports.find(({ port }) => port === number);
    return { port: number, protocol: protocol ?? protocolOf(declared) };
  }
  const fitting = ports.filter(
    (port) =>
      (said === undefined || port.name === said) &&
      (protocol === undefined || protocolOf(port) === protocol),
  );
  const [only, another] = fitting;
  if (only !== undefined && another === undefined) {
    return { port: only.port, protocol: protocolOf(only) };
  }
  const known = ports.map(({ name, port }) => (name === undefined ? port : `${name} (${port})`));
  const has = known.length === 0 ? "give its number" : `it has ${known.join(", ")}`;
  throw new Error(`Cannot use port ${said ?? "(none)"} of ${text}: ${has}`);
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

const finders: Readonly<Record<PartyKind, (place: Place, by: Resolver) => Promise<Resolved>>> = {
  async pod(place, { client, signal }) {
    const { status } = await client.resource("v1", "Pod").get(place, { signal });
    const ips = status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP ?? ""];
    return resolved(`pod ${place.namespace}/${place.name}`, ips);
  },
  async service(place, { client, signal }) {
    const found: Service = await client.resource("v1", "Service").get(place, { signal });
    const { clusterIPs, clusterIP = "", ports = [] } = found.spec ?? {};
    const text = `service ${place.namespace}/${place.name}`;
    return { ...resolved(text, clusterIPs ?? [clusterIP]), ports };
  },
  async node({ name }, { client, signal }) {
    const { status } = await client.resource("v1", "Node").get({ name }, { signal });
    const internal = (status?.addresses ?? []).filter(({ type }) => type === "InternalIP");
    return resolved(
      `node ${name}`,
      internal.map(({ address }) => address),
    );
  },
};

function resolved(text: string, ips: readonly string[]): Resolved {
  const addresses = ips.flatMap((ip) => Address.tryParse(ip) ?? []);
  if (addresses.length === 0) throw new Error(`Cannot use ${text}: it has no address`);
  return { text, addresses, ports: [] };
}

function protocolOf(port: ServicePort | undefined): Protocol {
  return protocols.find((one) => one === port?.protocol?.toLowerCase()) ?? "tcp";
}
