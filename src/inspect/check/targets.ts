// Targets of a check, by family.

import type { Pod, Service } from "../../api/types/core.ts";
import { type Family, families } from "../../base/net/family.ts";
import { echoPort, externalAddresses, servicePort } from "./objects.ts";
import {
  familiesServed,
  nodeAddress,
  type Outside,
  ofFamily,
  podAddress,
  type Stage,
  type Stand,
} from "./stage.ts";

export const protocols = ["http", "udp"] as const;
export type Protocol = (typeof protocols)[number];

export interface Target {
  /** The target's address or name. */
  readonly host: string;
  readonly ports: Readonly<Record<Protocol, number>>;
  readonly path?: string;
  /** The pod that must answer; if not given, anybody may. */
  readonly answeredBy?: string;
  /** The client address that the receiver must see, if nothing translates it on the way. */
  readonly seenAs?: string | undefined;
  /** Whether a proxy asks in our place, by a family of its own choice. */
  readonly isRelayed?: boolean;
}

/** Returns the target of a family; `undefined` if there is none. */
export type Reach = (family: Family) => Target | undefined;

export function besideIn({ client }: Stand): Reach {
  return (family) =>
    podAddress(client, family) === undefined
      ? undefined
      : target(loopback[family], { port: echoPort, pod: client });
}

export function podOn({ server }: Stand, asker?: Pod): Reach {
  return seenAs(asker, (family) =>
    target(podAddress(server, family), { port: echoPort, pod: server }),
  );
}

export function nodeOf({ node, host }: Stand, { hostPort }: Stage): Reach {
  return (family) => target(nodeAddress(node, family), { port: hostPort + 1, pod: host });
}

export function clusterIpOf({ services, server }: Stand, asker?: Pod): Reach {
  const { clusterIPs = [] } = services.web.spec;
  return seenAs(asker, (family) =>
    target(ofFamily(clusterIPs, family), { port: servicePort, pod: server }),
  );
}

export function nameOf({ services, server }: Stand): Reach {
  return byName(services.named, { port: servicePort, pod: server });
}

export function podNameOf({ services, server }: Stand): Reach {
  return byName(services.headless, { port: echoPort, pod: server });
}

export function externalIpOf({ services: { external }, server }: Stand): Reach {
  return (family) =>
    "refusal" in external || !familiesServed(external).includes(family)
      ? undefined
      : target(externalAddresses[family], {
          port: external.spec.ports?.[0]?.port ?? servicePort,
          pod: server,
        });
}

export function nodePortOf({ node, server, services: { web } }: Stand): Reach {
  const portOf = (name: string) =>
    web.spec.ports?.find((each) => each.name === name)?.nodePort ?? 0;
  return (family) => {
    const host = familiesServed(web).includes(family) ? nodeAddress(node, family) : undefined;
    const found = target(host, { port: 0, pod: server });
    return found && { ...found, ports: { http: portOf("tcp"), udp: portOf("udp") } };
  };
}

export function hostPortOf({ node, server }: Stand, { hostPort: port }: Stage): Reach {
  return (family) =>
    target(podAddress(server, family) && nodeAddress(node, family), { port, pod: server });
}

export function frontOf(
  { server }: Stand,
  { addresses, path }: { readonly addresses: readonly string[]; readonly path?: string },
): Reach {
  return (family) => {
    const found = target(ofFamily(addresses, family), { port: servicePort, pod: server });
    return found && { ...found, ...(path === undefined ? {} : { path, isRelayed: true }) };
  };
}

/** A target outside of the cluster. A name is asked once, since it selects the family by itself. */
export function outside({ families: checked }: Stage, { host, port }: Outside): Reach {
  const own = families.find((family) => ofFamily([host], family) !== undefined) ?? checked[0];
  return (family) => (family === own ? target(host, { port }) : undefined);
}

/** Returns a target by its service name, without the cluster's domain, which pods know. */
function byName(
  services: readonly Service[],
  place: { readonly port: number; readonly pod: Pod },
): Reach {
  return (family) => {
    const { metadata } = services.find(({ spec }) => spec.ipFamilies?.[0] === family) ?? {};
    return target(metadata && `${metadata.name}.${metadata.namespace}.svc`, place);
  };
}

function target(
  host: string | undefined,
  { port, pod }: { readonly port: number; readonly pod?: Pod },
): Target | undefined {
  if (host === undefined) return undefined;
  const answeredBy = pod && { answeredBy: pod.metadata.name };
  return { host, ports: { http: port, udp: port }, ...answeredBy };
}

function seenAs(asker: Pod | undefined, reach: Reach): Reach {
  if (asker === undefined) return reach;
  return (family) => {
    const found = reach(family);
    return found && { ...found, seenAs: podAddress(asker, family) };
  };
}

const loopback: Readonly<Record<Family, string>> = { IPv4: "127.0.0.1", IPv6: "::1" };
