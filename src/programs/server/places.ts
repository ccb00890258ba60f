// Addresses of a server: those it listens on, its names, and how others and itself reach it.

import { hostname, networkInterfaces } from "node:os";
import type { LinkAddress } from "../../base/host/ip.ts";
import { Address } from "../../base/net/address.ts";
import { firstOfEachFamily } from "../../base/net/list.ts";
import { Prefix } from "../../base/net/prefix.ts";
import type { ListenAddress } from "../../base/program/listen.system.ts";
import type { Announcement, ServerNames } from "../../control/apiserver/apiserver.ts";
import { ownAddresses } from "../../node/status/status.ts";

const ownNames = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"];

export interface ServerPlaces {
  readonly listen: readonly ListenAddress[];
  readonly tlsSan: readonly string[];
}

/** Returns every name and address by which a client may call the server, for its certificate. */
export function serverNames(
  { listen: places, tlsSan }: ServerPlaces,
  cidrs: readonly Prefix[],
): ServerNames {
  const dnsNames = new Set(["localhost", hostname(), ...ownNames, `${ownNames[2]}.cluster.local`]);
  const addresses = new Set(["127.0.0.1", "::1", ...cidrs.map((cidr) => String(cidr.at(1n)))]);
  for (const place of places) {
    if (!("host" in place) || place.host === "localhost") continue;
    const address = Address.tryParse(place.host);
    if (address === undefined || address.isUnspecified) {
      for (const one of machineAddresses()) addresses.add(one);
    } else {
      addresses.add(address.toString());
    }
  }
  for (const name of tlsSan.filter((each) => each !== "")) {
    const address = Address.tryParse(name);
    if (address === undefined) dnsNames.add(name);
    else addresses.add(address.toString());
  }
  return { dnsNames: [...dnsNames], addresses: [...addresses] };
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((infos) => infos ?? [])
    .map(({ address }) => Address.tryParse(address))
    .filter((address) => address !== undefined && !address.isLinkLocal)
    .map(String);
}

export function urlOf(bound: ListenAddress): string {
  if (!("port" in bound)) return "";
  const host = bound.host.includes(":") ? `[${bound.host}]` : bound.host;
  return `https://${host}:${bound.port}`;
}

/** Returns the URL for the server's own controllers; `undefined` if it serves on no port. */
export function ownUrl(bound: readonly ListenAddress[]): string | undefined {
  const place = bound.find((each) => "port" in each);
  if (place === undefined) return undefined;
  const address = Address.tryParse(place.host);
  if (address?.isUnspecified !== true) return urlOf(place);
  return urlOf({ host: address.family === "IPv4" ? "127.0.0.1" : "::1", port: place.port });
}

/**
 * Returns the addresses at which pods reach the server: one per family, none of them loopback, nor one that
 * the machine announces for a service or as a virtual address.
 */
export function announcementOf(
  bound: readonly ListenAddress[],
  interfaces: Interfaces = networkInterfaces(),
): Announcement {
  const places = bound.filter((place) => "port" in place);
  const addresses = places
    .flatMap(({ host }) => {
      const address = Address.parse(host);
      return address.isUnspecified
        ? ownAddresses(linkAddresses(interfaces)).map((one) => one.address)
        : [address];
    })
    .filter((address) => !address.isLoopback);
  const { used } = firstOfEachFamily(addresses);
  return { addresses: used.map(String), port: places[0]?.port ?? 0 };
}

type Interfaces = ReturnType<typeof networkInterfaces>;

function linkAddresses(interfaces: Interfaces): LinkAddress[] {
  return Object.entries(interfaces).flatMap(([link, infos = []]) =>
    infos.flatMap(({ address: text, cidr, internal }) => {
      const [address, prefix] = [Address.tryParse(text), Prefix.tryParse(cidr ?? "")];
      if (address === undefined || prefix === undefined) return [];
      const scope = internal ? "host" : "global";
      return [{ link, address, prefix, scope, tentative: false, duplicate: false }];
    }),
  );
}
